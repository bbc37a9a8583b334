import { escapeMarkdown, formatBytes, markdownTable } from '@weir/core';
import type { JsonSchema, RouteDefinition } from '@weir/http';
import { gatewayLimits } from '../limits.ts';
import { commonErrors, httpAreas } from './http-api.ts';
import { openApiDefinition } from './openapi-definition.ts';

/** Returns the reference page of an agent's HTTP port as Markdown. */
export function httpPage(): string {
  const areas = httpAreas.map(({ title, introduction: text, routes }) => {
    const sections = [...Map.groupBy(routes, sectionKey).values()].map(sectionOf);
    return [`## ${title}`, text, ...sections].join('\n\n');
  });
  return `${[introduction, errorTable(commonErrors()), contents(), ...areas].join('\n\n')}\n`;
}

const code = (word: string) => `\`${word}\``;

const introduction = `# HTTP API of agents

<!-- Written by scripts/docs.ts from the definitions of routes in packages/gateway/src. Change them, not this page. -->

What an agent serves on its HTTP port (\`-httpPort\`, 8080). \`GET ${openApiDefinition.path}\` is the same for programs, as an
OpenAPI 3.1 document. [Records over HTTP](../guides/http.md) explains logins, rights, formats and limits; a schema registry has
a [port and a page](schema-registry.md) of its own.

- **Bodies** have at most ${formatBytes(gatewayLimits.httpBodyBytesMax)}, as they are or with \`content-encoding: gzip\`.
- **Paths** are percent-encoded. A path that exists is 405 with a method that it does not have.
- **Errors** of a whole request are \`{"error_code": …, "message": …}\` with an HTTP status. Those of probes are text. These
  are the same for all routes with logins; a section has the others.`;

/** Routes that differ only in their method share a section. */
function sectionKey({ path, summary }: RouteDefinition): string {
  return `${path} ${summary}`;
}

function headingOf(routes: readonly RouteDefinition[]): string {
  return `${routes.map(({ method }) => method).join(', ')} ${routes[0]!.path}`;
}

function contents(): string {
  const rows = httpAreas.flatMap(({ routes }) =>
    [...Map.groupBy(routes, sectionKey).values()].map((shared) => [
      `[${code(headingOf(shared))}](#${anchorOf(headingOf(shared))})`,
      shared[0]!.summary,
    ]),
  );
  return `## Routes\n\n${markdownTable(['Route', 'What it does'], rows)}`;
}

/** The anchor that Markdown renderers derive from a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function sectionOf(routes: readonly RouteDefinition[]): string {
  const definition = routes.at(-1)!;
  const { summary, answer, body } = definition;
  const parts = [
    `### ${headingOf(routes)}`,
    [summary, ...factsOf(definition)].join(' '),
    parameterTable(definition),
    ...(body === undefined ? [] : [`Body: ${body.types.map(code).join(', ')}.`, fieldTable(body.schema)]),
    `Answer: ${answerFacts(definition)}. ${answer.description}`,
    fieldTable(answer.schema),
    errorTable(definition.errors),
    exampleOf(definition),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function factsOf({ right, clientId, operation }: RouteDefinition): string[] {
  return [
    ...(right === undefined ? [] : [`Right: ${right}`]),
    ...(clientId === undefined ? [] : [`Client id: ${code(clientId)}.`]),
    ...(operation === undefined ? [] : [`In metrics ${code(operation)}.`]),
  ];
}

function answerFacts({ answer: { status = 200, types } }: RouteDefinition): string {
  return [String(status), ...(types.length === 0 ? ['no content'] : types.map(code))].join(', ');
}

function parameterTable({ parameters = {} }: RouteDefinition): string {
  const rows = Object.entries(parameters).map(([name, { in: place, isRequired = false, schema }]) => [
    `${code(name)}${isRequired || place === 'path' ? '' : '?'}`,
    place,
    typeInWords(schema),
    meaningOf(schema),
  ]);
  return rows.length === 0 ? '' : markdownTable(['Parameter', 'In', 'Type', 'Meaning'], rows);
}

function fieldTable(schema: JsonSchema | undefined): string {
  const rows = schema === undefined ? [] : fieldRows(schema, '');
  return rows.length === 0 ? '' : markdownTable(['Field', 'Type', 'Meaning'], rows);
}

function fieldRows({ properties = {}, required = [], items }: JsonSchema, prefix: string): string[][] {
  if (items !== undefined) return fieldRows(items, `${prefix}[].`);
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    const below = schema.items === undefined ? `${path}.` : `${path}[].`;
    return [
      [`${code(path)}${required.includes(name) ? '' : '?'}`, typeInWords(schema), meaningOf(schema)],
      ...fieldRows(schema.items ?? schema, below),
    ];
  });
}

function meaningOf(schema: JsonSchema): string {
  const { description = '', minimum, maximum } = schema;
  const bounds = minimum === undefined || maximum === undefined ? '' : ` ${minimum} to ${maximum}.`;
  const standard = schema.default === undefined ? '' : ` Default ${code(String(schema.default))}.`;
  return escapeMarkdown(`${description}${bounds}${standard}`.trim());
}

function typeInWords(schema: JsonSchema): string {
  if (schema.enum !== undefined) return schema.enum.map((word) => code(String(word))).join(', ');
  const types = typeof schema.type === 'object' ? schema.type : [schema.type ?? 'any JSON'];
  return types
    .map((type) => {
      if (type === 'array') return `list of ${typeInWords(schema.items ?? {})}`;
      if (type === 'string') return schema.contentEncoding ?? 'text';
      return type;
    })
    .join(' or ');
}

function errorTable(errors: Readonly<Record<number, string>> = {}): string {
  const rows = Object.entries(errors).map(([status, meaning]) => [status, escapeMarkdown(meaning)]);
  return rows.length === 0 ? '' : markdownTable(['Error', 'Meaning'], rows);
}

function exampleOf({ method, body, example }: RouteDefinition): string {
  const headers = Object.entries(example.headers ?? {}).map(([name, value]) => ` -H '${name}: ${value}'`);
  const data = example.body === undefined ? '' : ` -d '${JSON.stringify(example.body)}'`;
  const usual = body === undefined ? 'GET' : 'POST';
  const named = method === usual ? '' : ` -X ${method}`;
  const command = `curl -s${named} 'localhost:8080${example.target}'${headers.join('')}${data}`;
  const { answer } = example;
  const shown = typeof answer === 'string' ? answer : JSON.stringify(answer);
  return `\`\`\`sh\n${command}${shown === undefined ? '' : `\n# ${shown}`}\n\`\`\``;
}
