/**
 * The files of schemas/ themselves: sound against their metaschema, named after their files, and documented.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { GOOD } from '../support/artifacts.js';
import type { Json } from '../support/artifacts.js';

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

const FOLDER = join(import.meta.dirname, '../../schemas');
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

/** Calls `visit` for each member that a schema declares. Inside `if` stand conditions, not declarations. */
function eachProperty(schema: unknown, place: string, visit: (place: string, property: Json) => void): void {
  if (schema === null || typeof schema !== 'object') return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'if') continue;
    if (key !== 'properties') eachProperty(value, `${place}/${key}`, visit);
    else
      for (const [name, property] of Object.entries(value as Record<string, Json>)) {
        visit(`${place}/${name}`, property);
        eachProperty(property, `${place}/${name}`, visit);
      }
  }
}

describe('schema: the files themselves', () => {
  test('schema: one file per schema name → and no other', () => {
    expect(FILES.map((file) => file.replace('.schema.json', '')).sort()).toEqual(Object.keys(GOOD).sort());
  });

  test.each(FILES)('schema: %s → sound, named by its file, without tuples', (file) => {
    const schema = read(join(FOLDER, file)) as Json;
    const ajv = new Ajv2020({ strict: false });
    expect(ajv.validateSchema(schema), ajv.errorsText(ajv.errors)).toBe(true);
    expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(schema['$id']).toBe(`https://counterproof.dev/schemas/${file}`);
    expect(JSON.stringify(schema)).not.toContain('"prefixItems"');
  });

  test.each(FILES)('schema: %s → every member has a description', (file) => {
    const bare: string[] = [];
    eachProperty(read(join(FOLDER, file)), '', (place, property) => {
      if (typeof property['description'] !== 'string') bare.push(place);
    });
    expect(bare).toEqual([]);
  });
});
