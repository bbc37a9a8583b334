import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { iconUrl } from '../icons.ts';
import type { Tool } from './tool.ts';

/** The other hints of the protocol are about tools that write. */
const readingHints = { readOnlyHint: true, openWorldHint: false };

function writingHints(isDestructive: boolean) {
  return { readOnlyHint: false, destructiveHint: isDestructive, openWorldHint: false };
}

/**
 * Returns a tool as clients of a site list it. Serializing a schema takes longer than answering a request, so it is
 * done once.
 */
export function listedTool(
  { name, icon, title, description, input, output, changes, isDestructive = false }: Tool,
  siteUrl: string,
): ListedTool {
  return {
    name,
    title,
    icons: [{ src: iconUrl(icon, siteUrl) }],
    description,
    inputSchema: schemaOf(input, 'input') as ListedTool['inputSchema'],
    outputSchema: schemaOf(output, 'output') as NonNullable<ListedTool['outputSchema']>,
    annotations: changes === undefined ? readingHints : writingHints(isDestructive),
  };
}

type Json = Readonly<Record<string, unknown>>;

/** Parts of an input schema that a model needs. What breaks another rule gets an answer that explains it. */
const inputParts = [
  'type',
  'description',
  'properties',
  'required',
  'items',
  'anyOf',
  'enum',
  'const',
  'default',
];

/**
 * Parts of an output schema, of which names remain. Every client pays for the list with each conversation, and a client
 * that caches it must not refuse what a later release adds or leaves out.
 */
const outputParts = ['properties', 'items'];

function schemaOf(schema: z.ZodObject, io: 'input' | 'output'): Json {
  const full = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  const definitions = (full.$defs ?? {}) as Readonly<Record<string, Json>>;
  if (io === 'input') return withShortCommonArguments(trimmed(full, definitions, inputParts));
  return namesOnly(trimmed(full, definitions, outputParts), true);
}

/** Arguments of nearly all tools, which the instructions of the server explain once. */
function withShortCommonArguments(schema: Json): Json {
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Json>>)
    .filter(([name]) => name !== unlistedArgument)
    .map(([name, argument]) => [name, commonArguments.has(name) ? typeOnly(argument) : argument]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

const commonArguments: ReadonlySet<string> = new Set(['virtual_cluster_id', 'format', 'limit', 'cursor']);

/** Every tool takes it, and few calls need it; answers that are cut name it. */
const unlistedArgument = 'max_tokens';

function typeOnly({ description: _, default: _usual, ...argument }: Json): Json {
  return argument;
}

/** Keeps the names of fields, and what is a list of objects. */
function namesOnly(schema: Json, isOutermost = false): Json {
  const { properties, items } = schema as { properties?: Json; items?: Json };
  if (properties !== undefined) {
    const named = Object.entries(properties).filter(([name]) => !isOutermost || !answerTail.has(name));
    return {
      ...(isOutermost ? { type: 'object' } : {}),
      properties: Object.fromEntries(named.map(([name, one]) => [name, namesOnly(one as Json)])),
    };
  }
  const item = items === undefined ? {} : namesOnly(items);
  return 'properties' in item ? { items: item } : {};
}

/** Fields at the end of every answer; the instructions of the server explain them once. */
const answerTail: ReadonlySet<string> = new Set(['truncated', 'next_cursor', 'hint', 'console_url']);

/** Inlines the references of a schema, since not every client follows references. */
function trimmed(schema: Json, definitions: Readonly<Record<string, Json>>, parts: readonly string[]): Json {
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
    return name === 'items' ? inner(value) : value;
  };
  const isElsewhere = String(all.description).startsWith(elsewhere);
  const shown = parts.filter(
    (name) => name in all && !saysNothing(name, all[name]) && !(isElsewhere && detailParts.has(name)),
  );
  return withShortNull(Object.fromEntries(shown.map((name) => [name, part(name)])));
}

/** An argument whose description begins like this is explained at another tool. */
const elsewhere = 'As in ';
const detailParts: ReadonlySet<string> = new Set(['enum', 'items', 'properties']);

/** Defaults that are nothing, and descriptions that repeat a name. */
function saysNothing(name: string, value: unknown): boolean {
  if (name === 'default') return value === false || value === 0 || String(value) === '';
  return (
    name === 'description' &&
    /^(?:The|Only(?: \w+ (?:of|in))? this) \w+(?: of the(?: \w+){1,2})?\.$/.test(String(value))
  );
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
