import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import AjvDraft04 from 'ajv-draft-04';
import type { dialects, Json } from './json-schemas.ts';

const options: Options = { strict: false, validateFormats: false, logger: false, inlineRefs: false };

/** Another implementation of JSON Schema: makes the check of a schema, or throws if the schema is invalid. */
export function ajvCheck(draft: keyof typeof dialects, schema: Json): (value: Json) => boolean {
  const compiled = plain(schema) as object | boolean;
  const ajv = sharedAjv(draft);
  const validate = ajv.compile(compiled as object);
  // Ajv would keep every schema that it compiled.
  if (typeof compiled === 'object') ajv.removeSchema(compiled);
  return (value) => validate(plain(value)) === true;
}

/** Whether a schema fits the meta-schema of its draft. */
export function isValidForAjv(draft: keyof typeof dialects, schema: Json): boolean {
  return sharedAjv(draft).validateSchema(plain(schema) as object) === true;
}

/** To make an Ajv takes longer than to compile a schema, because it compiles the meta-schema first. */
const shared = new Map<string, ReturnType<typeof newAjv>>();

function sharedAjv(draft: keyof typeof dialects): ReturnType<typeof newAjv> {
  const known = shared.get(draft) ?? newAjv(draft);
  shared.set(draft, known);
  return known;
}

function newAjv(draft: keyof typeof dialects): Pick<Ajv, 'compile' | 'removeSchema' | 'validateSchema'> {
  if (draft === '2020-12') return new Ajv2020(options);
  if (draft === 'draft-04') return new AjvDraft04.default(options);
  const ajv = new Ajv(options);
  if (draft === 'draft-06') ajv.addMetaSchema(draft06);
  return ajv;
}

/** Generated objects have no prototype, and are then equal to none that has one. */
function plain(value: Json): unknown {
  return JSON.parse(JSON.stringify(value));
}
