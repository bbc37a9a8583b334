import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { iconUrl } from '../icons.ts';
import type { Tool } from './tool.ts';

/** All tools are read-only and idempotent. */
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/**
 * Returns a tool as clients of a site list it. Serializing a schema takes longer than answering a request, so it is
 * done once.
 */
export function listedTool(
  { name, icon, title, description, input, output }: Tool,
  siteUrl: string,
): ListedTool {
  return {
    name,
    title,
    icons: [{ src: iconUrl(icon, siteUrl) }],
    description,
    inputSchema: schemaOf(input, 'input') as ListedTool['inputSchema'],
    outputSchema: schemaOf(output, 'output') as NonNullable<ListedTool['outputSchema']>,
    annotations,
  };
}

type Json = Readonly<Record<string, unknown>>;

/** Parts of an input schema that a model needs. Patterns are explained when they are not met. */
const inputParts = [
  'type',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'enum',
  'const',
  'default',
  'minimum',
  'maximum',
];

/**
 * Parts of an output schema. Descriptions would double the size of the list, and names are clear enough. Enum values
 * are omitted as well: a later release may add some, and clients that cache the list would refuse its answers.
 */
const outputParts = ['type', 'properties', 'required', 'items', 'anyOf', 'const'];

function schemaOf(schema: z.ZodObject, io: 'input' | 'output'): Json {
  const full = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  const definitions = (full.$defs ?? {}) as Readonly<Record<string, Json>>;
  return trimmed(full, definitions, io === 'input' ? inputParts : outputParts, true);
}

/** Inlines the references of a schema, since not every client follows references. */
function trimmed(
  schema: Json,
  definitions: Readonly<Record<string, Json>>,
  parts: readonly string[],
  isOutermost = false,
): Json {
  const { $ref, ...own } = schema;
  const target = typeof $ref === 'string' ? definitions[$ref.replace('#/$defs/', '')] : undefined;
  const all: Json = { ...target, ...own };
  const inner = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? trimmed(value as Json, definitions, parts) : value;
  const part = (name: string): unknown => {
    const value = all[name];
    if (name === 'properties')
      return Object.fromEntries(Object.entries(value as Json).map(([key, one]) => [key, inner(one)]));
    if (name === 'anyOf') return (value as readonly unknown[]).map(inner);
    return name === 'items' || name === 'additionalProperties' ? inner(value) : value;
  };
  const shown = parts.filter(
    (name) =>
      name in all && !isBeyondNumbers(name, all[name]) && (isOutermost || !isRefusal(name, all[name])),
  );
  return withShortNull(Object.fromEntries(shown.map((name) => [name, part(name)])));
}

/** Unknown names are refused; this need not be repeated for inner objects. */
function isRefusal(name: string, value: unknown): boolean {
  return name === 'additionalProperties' && value === false;
}

/** Bounds that no number of a model reaches. */
function isBeyondNumbers(name: string, value: unknown): boolean {
  return /^(?:minimum|maximum)$/.test(name) && Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER;
}

/** A nullable primitive as two type names instead of two schemas. */
function withShortNull(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1]?.type !== 'null') return schema;
  const [{ type, ...one }] = anyOf as [Json];
  return typeof type === 'string' && one.enum === undefined
    ? { type: [type, 'null'], ...one, ...rest }
    : schema;
}
