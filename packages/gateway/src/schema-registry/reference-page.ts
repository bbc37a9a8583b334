import { escapePipes, formatBytes, markdownTable } from '@weir/core';
import { registryErrors, registryLimits } from '@weir/registry';
import { answerTypes, bodyTypes } from './request/media-types.ts';
import type { Needs, RouteRow } from './routes/route.ts';
import { routeChapters } from './routes/route-table.ts';

/** Returns the reference page of the registry's HTTP API as Markdown. */
export function registryPage(): string {
  const chapters = Object.entries(routeChapters).map(
    ([title, rows]) => `## ${title}\n\n${rows.map(sectionOf).join('\n\n')}`,
  );
  return `${[introduction, ...chapters, errorsChapter()].join('\n\n')}\n`;
}

const code = (word: string) => `\`${word}\``;

const introduction = `# HTTP API of the schema registry

<!-- Written by scripts/docs.ts from packages/gateway/src/schema-registry/routes. Change the table there, not this page. -->

Agents of a schema registry cluster (\`vci_sr_…\`), \`weir local\` and \`weir playground\` serve the API of Confluent's
registry on \`-schemaRegistryPort\`, 9094 unless another is chosen. Clients of it work unchanged.

- **Paths.** Subjects are percent-encoded and may contain an encoded slash. A trailing slash equals none. A path below
  \`/contexts/{context}/\` is the path without it, for subjects of the context: \`/contexts/eu/subjects/a\` is
  \`/subjects/:.eu:a\`.
- **Responses** are JSON: ${code(answerTypes[0])}, or ${answerTypes.slice(1).map(code).join(' or ')} if the client prefers it in \`Accept\`; 406 if it
  accepts none of them. What has no content is answered with 204.
- **Bodies** are JSON in ${bodyTypes.map(code).join(', ')}, at most
  ${formatBytes(registryLimits.registryRequestBytesMax)} (413). Fields and query parameters that are not on this page are ignored.
- **Errors** are \`{"error_code": …, "message": …}\`. The first three digits of the code are the HTTP status. Besides those
  below there are 400 (not JSON, or not a number), 401, 404 (unknown path), 405, 406, 408, 413, 415, and 503 (too
  many concurrent requests).
- **Logins** are HTTP Basic with a credential of the cluster, a bearer token of the issuer in \`-saslOAuthIssuerURL\`, or
  a client certificate as for Kafka. They are required with \`-schemaRegistryBasicAuthEnabled\`; credentials that are sent
  without it are checked too.
- **Rights.** If the cluster enforces [ACLs](acls.md), a request needs the operation in its row, on the \`SUBJECT\` or on the
  \`REGISTRY\`, whose name is \`schema-registry\`. A name that is only a context, such as \`:.eu:\`, is the registry. A
  schema by its id takes the right on any subject that has it. Bodies that refer to other subjects, or that make one an
  alias, take \`READ\` on those. To change a subject by its alias takes the right on both. A subject of the same name in
  another context, and every element of a list, is left out without the right. A read-only credential may do what is marked as
  read.`;

function sectionOf(row: RouteRow): string {
  const { method, path, summary, query = {}, body = {}, errors = [], isReadOnly, operation } = row;
  const fields = [
    ...Object.entries(query).map(([name, { type, help }]) => [code(name), `query, ${type}`, help]),
    ...Object.entries(body).map(([name, help]) => [code(name), 'body', help]),
  ];
  const facts = [
    `${isReadOnly ? 'Read' : 'Write'}; ${rightOf(row.needs)}. In metrics \`${operation}\`.`,
    ...(errors.length === 0 ? [] : [`Errors: ${errors.map((name) => registryErrors[name]).join(', ')}.`]),
  ];
  const table =
    fields.length === 0
      ? ''
      : `\n\n${markdownTable(
          ['field', 'in', ''],
          fields.map((cells) => cells.map(escapePipes)),
        )}`;
  return `### ${method} ${path}\n\n${summary} ${facts.join(' ')}${table}`;
}

function rightOf(needs: Needs): string {
  switch (needs.on) {
    case 'authenticated':
      return 'needs no right';
    case 'registry':
      return `needs ${code(needs.operation)} on the registry`;
    case 'exporter':
      return `needs ${code(needs.operation)} on the registry, and \`READ\` on the subjects that the exporter copies`;
    case 'subject':
      return `needs ${code(needs.operation)} on the subject`;
    case 'schema':
      return `needs ${code(needs.operation)} on a subject that has the schema`;
    case 'listed':
      return `shows subjects with ${code(needs.operation)}`;
  }
}

function errorsChapter(): string {
  const words = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const rows = Object.entries(registryErrors).map(([name, value]) => [String(value), words(name)]);
  return `## Error codes\n\n${markdownTable(['code', 'meaning'], rows)}`;
}
