import { HttpProblem } from '@weir/http';
import {
  InvalidPayload,
  type RecordSchemas,
  type SchemaEncoder,
  SchemaUnusable,
  type WantedSchema,
} from '@weir/registry/decoding';
import type { Access } from '@weir/security';
import type { DataDeps } from '../data-route.ts';
import { integerIn, type JsonObject, textIn } from '../json-fields.ts';
import { type RecordFormat, schemaTypeOf } from './media-types.ts';
import { type GivenRecord, orUnprocessable, type ProduceBody } from './produce-body.ts';
import { topicMissing, unprocessable } from './proxy-problems.ts';

type Part = 'key' | 'value';

interface SchemaRequest {
  readonly topic: string;
  readonly body: ProduceBody;
  readonly format: Exclude<RecordFormat, 'binary' | 'json'>;
  /** Rights on subjects. */
  readonly access: Access;
}

interface EncodedParts {
  readonly parts: readonly (Buffer | null)[];
  readonly schemaId: number | null;
}

const topicName = /^[\w.-]{1,249}$/;
const int32Max = 2 ** 31 - 1;
/** Time of the serving thread after which other work runs. */
const sliceMs = 5;

/** Encodes keys and values by schemas of the registry by which the agent validates records. */
export async function encodedBySchemas(request: SchemaRequest, deps: DataDeps) {
  const { schemas } = deps;
  if (schemas === undefined)
    throw unprocessable(
      `This agent has no schema registry for the format ${request.format}; start it with -externalSchemaRegistryURL, or send binary or json.`,
    );
  // Other text could name a subject of another topic or context.
  if (!topicName.test(request.topic)) throw topicMissing(request.topic);
  // All that can be refused without the registry is, before a schema is registered.
  const { isOwn } = schemas;
  const keys = wantedSchema(request, 'key', isOwn);
  const values = wantedSchema(request, 'value', isOwn);
  const keyEncoder = keys && (await openSchema(keys, request, schemas));
  const valueEncoder = values && (await openSchema(values, request, schemas));
  const { records } = request.body;
  return {
    keys: await encodedParts(records, 'key', keyEncoder, deps),
    values: await encodedParts(records, 'value', valueEncoder, deps),
  };
}

/** The schema that a body names; `undefined` if it needs none. */
function wantedSchema(
  { topic, body, format }: SchemaRequest,
  part: Part,
  mayRegister: boolean,
): WantedSchema | undefined {
  const { object, records } = body;
  const isGiven = (name: string) => (object.fields[name] ?? null) !== null;
  const textName = `${part}_schema`;
  const idName = `${part}_schema_id`;
  if (isGiven(textName) && isGiven(idName))
    throw unprocessable(`The body has both ${textName} and ${idName}; send one of them.`);
  if (isGiven(idName))
    return { id: orUnprocessable(() => integerIn(object, idName, { min: 1, max: int32Max })) };
  if (isGiven(textName)) {
    const schema = orUnprocessable(() => textIn(object, textName));
    return {
      subject: `${topic}-${part}`,
      schema: { schema, schemaType: schemaTypeOf[format] },
      mayRegister,
    };
  }
  if (records.every((record) => (record.object.fields[part] ?? null) === null)) return undefined;
  throw unprocessable(
    `The body has ${part}s in the format ${format}, but neither ${textName} nor ${idName}.`,
    part === 'key' ? 42201 : 42202,
  );
}

async function openSchema(
  wanted: WantedSchema,
  { format, access }: SchemaRequest,
  { encoder: encoders, isOwn }: RecordSchemas,
): Promise<SchemaEncoder> {
  // Not before a client needs it: it loads the formats of schemas.
  const rights = await import('../../schema-registry/registry-rights.ts');
  if ('subject' in wanted) {
    if (isOwn) rights.requireRegistration(access, wanted.subject);
    else rights.requireLookup(access, wanted.subject);
  }
  let isDenied = false;
  const mayRead = (subject: string) => {
    isDenied = !rights.mayReadSubject(access, subject);
    return !isDenied;
  };
  try {
    const encoder = await encoders.open(wanted, { mayRead });
    const type = schemaTypeOf[format];
    if (encoder.type === type) return encoder;
    throw unprocessable(`Schema ${encoder.id} is of the type ${encoder.type}, not ${type}.`, 42205);
  } catch (error) {
    if (!(error instanceof SchemaUnusable)) throw error;
    if (isDenied) throw new HttpProblem(403, `${sentence(error.message)}`);
    if (error.reason === 'unavailable')
      throw new HttpProblem(500, sentence(error.message), { errorCode: 50003 });
    const hint = !isOwn && 'subject' in wanted && error.reason === 'missing' ? '; register it first' : '';
    throw unprocessable(sentence(`${error.message}${hint}`), 42205);
  }
}

async function encodedParts(
  records: readonly GivenRecord[],
  part: Part,
  encoder: SchemaEncoder | undefined,
  { clock, pause }: DataDeps,
): Promise<EncodedParts> {
  const parts: (Buffer | null)[] = [];
  let sliceEndMs = clock.monotonicMs() + sliceMs;
  for (const { object } of records) {
    parts.push(encoder === undefined ? null : await encodedPart(object, part, encoder));
    if (clock.monotonicMs() < sliceEndMs) continue;
    await pause();
    sliceEndMs = clock.monotonicMs() + sliceMs;
  }
  return { parts, schemaId: encoder?.id ?? null };
}

async function encodedPart(object: JsonObject, part: Part, encoder: SchemaEncoder): Promise<Buffer | null> {
  const value = object.fields[part] ?? null;
  if (value === null) return null;
  try {
    // As text, since numbers of more digits than a double has are kept as such.
    return await encoder.encodeText(JSON.stringify(value));
  } catch (error) {
    if (!(error instanceof InvalidPayload)) throw error;
    throw unprocessable(
      `${object.path}.${part} does not fit schema ${encoder.id}: ${sentence(error.message)}`,
      42203,
    );
  }
}

function sentence(message: string): string {
  return message.endsWith('.') ? message : `${message}.`;
}
