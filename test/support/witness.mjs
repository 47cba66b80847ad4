/**
 * Looks a report over without the code that made it: `node witness.mjs report.json log [report.json log …]`.
 * Every place named is a line of the log that starts there and has that id, every `present` value stands on its line,
 * and no line holds all of `absent`. Prints what is wrong and exits 1; silent and 0 where all is as said.
 */
import { readFileSync } from 'node:fs';

const at = (value, pointer) =>
  pointer
    .slice(1)
    .split('/')
    .reduce((node, key) => node?.[key], value);
const holds = (event, values) =>
  Object.entries(values).every(
    ([pointer, value]) => JSON.stringify(at(event, pointer)) === JSON.stringify(value),
  );

function linesOf(path) {
  const bytes = readFileSync(path);
  const lines = [];
  for (let offset = 0; offset < bytes.length || offset === 0;) {
    const end = bytes.indexOf(10, offset) < 0 ? bytes.length : bytes.indexOf(10, offset);
    const text = bytes.toString('utf8', offset, end).replace(/^\ufeff/, '');
    let event;
    try {
      event = JSON.parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    lines.push({ offset, text, event });
    offset = end + 1;
  }
  return lines;
}

let wrong = 0;
for (let index = 2; index < process.argv.length; index += 2) {
  const lines = linesOf(process.argv[index + 1]);
  for (const finding of JSON.parse(readFileSync(process.argv[index], 'utf8')).runs.flatMap(
    (run) => run.findings,
  )) {
    const say = (what) => (wrong++, console.log(`${process.argv[index + 1]}: ${finding.rule}: ${what}`));
    for (const { line, offset, id } of finding.events) {
      const found = lines[line - 1];
      if (found?.offset !== offset) say(`line ${line} starts at ${found?.offset}, not ${offset}`);
      else if (
        id !== '' &&
        (found.event?.id === undefined ? !found.text.includes(id) : found.event.id !== id)
      )
        say(`line ${line} has not the id ${id}`);
    }
    for (const { line, values } of finding.witness?.present ?? [])
      if (!holds(lines[line - 1]?.event, values)) say(`line ${line} does not hold ${JSON.stringify(values)}`);
    const { values, fromLine = 1, toLine = lines.length } = finding.witness?.absent ?? {};
    const met =
      values === undefined
        ? -1
        : lines.slice(fromLine - 1, toLine).findIndex((each) => holds(each.event, values));
    if (met >= 0) say(`line ${fromLine + met} holds ${JSON.stringify(values)}, which should be absent`);
  }
}
process.exitCode = wrong > 0 ? 1 : 0;
