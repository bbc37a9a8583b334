import { escapeMarkdown, markdownTable } from '@weir/core';
import { workspaceKeyHeader } from './authentication.ts';
import { areas, operations } from './catalogue.ts';
import { commonErrors, errorCodes, errorTable } from './errors.ts';
import { printJson } from './json.ts';
import { inputSchemaOf, type JsonSchema, outputSchemaOf } from './json-schema.ts';
import { apiLimits } from './limits.ts';
import { methodsOf, type Operation, type Scope } from './operation.ts';
import { otherRoutes } from './other-routes.ts';
import { apiKeyHeader, apiPath } from './paths.ts';

/** The reference page of the API, as Markdown. */
export function apiPage(): string {
  const sections = [
    introduction,
    contents(),
    errorSection(),
    otherSection(),
    ...areas.map(({ title, operations }) =>
      [`## ${title}`, ...operations.map(operationSection)].join('\n\n'),
    ),
    recordSection(),
  ];
  return `${sections.join('\n\n')}\n`;
}

const introduction = `# The API of the control plane

<!-- Written by scripts/docs.ts from the catalogue in packages/api. Change the catalogue, not this page. -->

${operations.length} operations below \`{base_url}${apiPath}/\`. \`{base_url}${apiPath}/openapi.json\` describes the same for programs.

- An operation is called with POST and a JSON object of at most ${apiLimits.apiRequestBytesMax / 1024 / 1024} MiB; an empty body is \`{}\`. Operations that only read
  take GET too, with their fields in the query: \`?limit=10\`, and a list as the same name several times.
- Success is 200. Without a result, the response is \`{}\`.
- A failure is a status and \`{"error": "<code>", "message": "<text>"}\`. Codes stay the same, messages may change.
- A field that an operation does not have is refused by name. Clients have to ignore fields of answers that they do not know.
- A key is sent in the header \`${apiKeyHeader}\`; for several workspaces, one key each in \`${workspaceKeyHeader('<workspace_id>')}\`. Not both.
  The workspace id in the name may be written with hyphens, for proxies that drop names with underscores. A signed-in user
  has a cookie.
- What the caller may not see is not found: no answer shows whether an object of another workspace exists.
- Times are text as in RFC 3339, in UTC. Durations in nanoseconds are integers of 64 bits in JSON, which in some languages needs more than
  the usual number; in requests they may be decimal text.
- Ids have a prefix that names their kind. Names with a prefix may be sent without it.`;

const scopesInWords: Readonly<Record<Scope, string>> = {
  public: 'anybody',
  user: 'any user or key',
  account: 'account',
  workspace: 'workspace',
  cluster: 'workspace of the cluster',
};

function needsOf({ access, scope }: Operation): string {
  if (scope === 'public' || scope === 'user') return scopesInWords[scope];
  const needed = { read: 'read', records: 'read_records', write: 'admin' }[access];
  return `${needed}, ${scopesInWords[scope]}`;
}

function contents(): string {
  const rows = operations.map((operation) => [
    `[\`${operation.name}\`](#${anchorOf(operation)})`,
    methodsOf(operation).join(', '),
    needsOf(operation),
    operation.summary,
  ]);
  return `## Operations\n\n${markdownTable(['Operation', 'Method', 'Needs', 'What it does'], rows)}`;
}

/** The anchor that Markdown renderers derive from the heading. */
function anchorOf({ name }: Operation): string {
  return name.replaceAll('/', '');
}

function errorSection(): string {
  const common: readonly string[] = commonErrors;
  const rows = errorCodes.map((code) => [
    `\`${code}\``,
    String(errorTable[code].status),
    errorTable[code].message,
    common.includes(code) ? 'any operation' : 'those that name it',
  ]);
  return `## Errors\n\n${markdownTable(['Code', 'Status', 'What it says', 'Given by'], rows)}`;
}

function otherSection(): string {
  const access = { none: 'anybody', prometheus: 'HTTP Basic: user `prometheus`, password a key' };
  const rows = otherRoutes.map(({ method, path, security, summary }) => [
    `\`${method} ${path}\``,
    access[security],
    summary,
  ]);
  return `## Other routes\n\n${markdownTable(['Route', 'Needs', 'What it gives'], rows)}`;
}

function operationSection(operation: Operation): string {
  const { name, summary, description, errors, example } = operation;
  const needs = `Needs: ${needsOf(operation)}.${errors.length === 0 ? '' : ` Errors: ${errors.map((code) => `\`${code}\``).join(', ')}.`}`;
  const input = inputSchemaOf(operation);
  const output = outputSchemaOf(operation);
  return [
    `### ${name}`,
    [summary, description ?? ''].join(' ').trim(),
    needs,
    fieldTable('Request', input),
    fieldTable('Answer', output),
    `\`\`\`json\nPOST ${apiPath}/${name}\n${printJson(example.input)}\n→ ${printJson(example.output)}\n\`\`\``,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The objects that answers share, once. */
function recordSection(): string {
  const records = new Map<string, JsonSchema>();
  for (const operation of operations) {
    for (const [name, schema] of Object.entries(outputSchemaOf(operation).$defs ?? {})) {
      records.set(name, schema);
    }
  }
  const sections = [...records]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([name, schema]) =>
        `### ${name}\n\n${schema.description ?? ''}\n\n${fieldTable('Field', schema, true)}`,
    );
  return `## Records\n\n${sections.join('\n\n')}`;
}

function fieldTable(heading: string, schema: JsonSchema, isRecord = false): string {
  const rows = fieldRows(schema, '');
  if (rows.length === 0) return heading === 'Request' ? 'Request: `{}`.' : 'Answer: `{}`.';
  return markdownTable([isRecord ? 'Field' : heading, 'Type', 'Meaning'], rows);
}

function fieldRows({ properties = {}, required = [] }: JsonSchema, prefix: string): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    const row = [`\`${prefix}${name}\`${mark}`, typeInWords(schema), meaningOf(schema)];
    const inners = innersOf(schema);
    return [
      row,
      ...inners.flatMap(({ object, suffix }) => {
        // In a union no field is always present.
        const shown = inners.length > 1 ? { ...object, required: [] } : object;
        return fieldRows(shown, `${prefix}${name}${suffix}.`);
      }),
    ];
  });
}

function meaningOf(schema: JsonSchema): string {
  const standard = schema.default === undefined ? '' : ` Default \`${JSON.stringify(schema.default)}\`.`;
  return escapeMarkdown((schema.description ?? '') + standard);
}

/**
 * Returns the objects whose fields follow in the table: the field itself, its items or its entries; for a union, all of
 * them.
 */
function innersOf(schema: JsonSchema): { readonly object: JsonSchema; readonly suffix: string }[] {
  const { anyOf, items, additionalProperties } = schema;
  if (anyOf !== undefined) return anyOf.flatMap(innersOf);
  const below = (inner: JsonSchema, step: string) =>
    innersOf(inner).map(({ object, suffix }) => ({ object, suffix: step + suffix }));
  if (items !== undefined) return below(items, '[]');
  if (typeof additionalProperties === 'object') return below(additionalProperties, '.*');
  return schema.properties === undefined ? [] : [{ object: schema, suffix: '' }];
}

function typeInWords(schema: JsonSchema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace('#/$defs/', '');
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeInWords))].join(' or ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined)
    return schema.enum.map((word) => `\`${word === '' ? '""' : word}\``).join(', ');
  if (schema.type === 'array') return `list of ${typeInWords(schema.items ?? {})}${countsInWords(schema)}`;
  if (typeof schema.additionalProperties === 'object') {
    return `object of ${typeInWords(schema.additionalProperties)}`;
  }
  if (schema.format === 'date-time') return 'time';
  if (schema.format === 'int64') return 'integer of 64 bits';
  if (schema.format === 'password') return 'secret text';
  return { string: 'text', integer: 'integer' }[schema.type ?? ''] ?? schema.type ?? 'anything';
}

function countsInWords({ minItems = 0, maxItems }: JsonSchema): string {
  if (maxItems === undefined) return '';
  return minItems > 0 ? `, ${minItems} to ${maxItems}` : `, at most ${maxItems}`;
}
