/**
 * A model that follows a script: it reads what it was told so far and says the next thing, the same for the same words.
 *
 * Tokens and time are modelled, never measured, so that a run has the same bytes on every machine: tokens go by the
 * length of what is read and said, thinking by the behaviour, time by tokens.
 */
import type { ModelAnswer, ModelPort, ModelRequest } from '../core/ports.js';
import type { JsonObject } from '../core/event.js';

/** What a script is told: the messages of the conversation, the model's own among them. */
export type Conversation = ModelRequest['messages'];

/** One move, as the object that the agent will read, and how much thought it took in tokens. */
export interface ScriptedMove {
  readonly say: JsonObject;
  readonly thinkingTokens: number;
}

/** How somebody behaves on one task. Pure. */
export type Behaviour = (conversation: Conversation) => ScriptedMove;

const CHARACTERS_A_TOKEN = 4;
const MS_A_TOKEN = 20;

/** A model that behaves so. */
export function scriptedModel(behaviour: Behaviour): ModelPort {
  return {
    generate: ({ messages }) => Promise.resolve(answerOf(messages, behaviour(messages))),
  };
}

/** The moves that the model has made so far. */
export function movesSoFar(conversation: Conversation): number {
  return conversation.filter(({ role }) => role === 'assistant').length;
}

/** What was said last by anybody but the model. */
export function lastWord(conversation: Conversation): string {
  return conversation.findLast(({ role }) => role !== 'assistant')?.content ?? '';
}

function answerOf(messages: Conversation, { say, thinkingTokens }: ScriptedMove): ModelAnswer {
  const content = JSON.stringify(say);
  const read = messages.reduce((sum, message) => sum + message.content.length, 0);
  const output = tokens(content.length);
  return {
    content,
    usage: { input: tokens(read), output, thinking: thinkingTokens },
    durationMs: (output + thinkingTokens) * MS_A_TOKEN,
  };
}

function tokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_A_TOKEN);
}
