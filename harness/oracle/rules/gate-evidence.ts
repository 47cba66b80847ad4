/**
 * Rules of family `gate` about what a high-tier proposal must say before anybody is asked: what would change, and how
 * to undo it. Both stand in the proposal's file only.
 */
import { textOf } from '../documents.js';
import type { Rule } from '../rule.js';
import { forShown, type Shown } from '../walks.js';

/** "A T3 proposal must say": the same shape for preview and plan to undo. Both stand in the proposal's file only. */
function mustSay(entry: { name: string; member: string; title: string; why: string; noun: string }): Rule {
  return {
    id: `gate/${entry.name}`,
    title: entry.title,
    facet: 'policy',
    severity: 'error',
    why: entry.why,
    example: `a T3 proposal file without ${entry.member}`,
    mend: `Put ${entry.member} into the proposal before asking.`,
    needs: ['gate', 'folder'],
    check(c, report) {
      forShown(c, 3, (shown) => {
        const { proposal, proposed } = shown.at(-1) as Shown;
        const file = c.documents.proposal(proposed);
        const path = c.history.dataText(proposed, 'proposalPath');
        if (file === undefined) {
          report.unknown(`the proposal ${path ?? proposal.name} is not at hand`);
          return;
        }
        report.applied();
        if ((textOf(file, entry.member) ?? '').trim() !== '') return;
        report.found({
          events: [{ event: proposed, role: 'proposal' }],
          subject: { kind: 'proposal', number: proposal.number },
          facts: { proposal: proposal.name, member: entry.member },
          key: [proposal.name],
          ...(path === undefined ? {} : { path }),
        });
      });
    },
    say: (facts) => `${facts['proposal'] as string} is put to the approver without ${entry.noun}.`,
  };
}

const previewMissing = mustSay({
  name: 'preview-missing',
  member: 'diffPreview',
  title: 'A high-tier proposal has no preview',
  why: 'Without a dry run the approver decides on words, not on what would change.',
  noun: 'a preview of what would change',
});

const reversibilityMissing = mustSay({
  name: 'reversibility-missing',
  member: 'reversibilityPlan',
  title: 'A high-tier proposal has no plan to undo it',
  why: 'The approver must know what happens if it goes wrong.',
  noun: 'a plan to undo it',
});

export const GATE_EVIDENCE_RULES: readonly Rule[] = [previewMissing, reversibilityMissing];
