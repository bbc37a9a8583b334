import { catalogue } from './catalogue.ts';
import { type ComponentKind, componentKinds } from './component/component-config.ts';
import type { ComponentSpec } from './component/component-spec.ts';
import type { Field, Fields, FieldType } from './component/field.ts';
import { streamFields } from './config/stream-fields.ts';
import { unavailableComponents } from './unavailable.ts';

/** The reference page of the components of pipelines, as Markdown. */
export function pipelineComponentsPage(): string {
  return `${[introduction, differences, ...componentKinds.flatMap(sectionsOf), unavailable()].join('\n\n')}\n`;
}

const introduction = `# Components of pipelines

<!-- Written by scripts/docs.ts from packages/pipelines/src. Change the tables there, not this page. -->

A pipeline of the type \`bento\` is a configuration as Bento has it: an input, processors, an
output. \`weir cli run-pipeline -f FILE\` runs one on your machine, \`weir cli validate-pipeline-config\` checks one, and the
[console](../guides/console.md) and the [API](api.md#pipelines) keep and run them in a cluster ([pipelines](pipelines.md)). Mappings are
[Bloblang](bloblang.md).

Every component may have a \`label\`; inputs and outputs may have \`processors\`. A text may contain variables, \`\${NAME}\` or
\`\${NAME:default}\`, and secrets, \`\${secret:NAME}\`. Fields of the type *interpolated string* may contain queries, \`\${! json("id") }\`. Durations are
written as \`500ms\` or \`1m30s\`, sizes as \`50MiB\`.

## The configuration

${table(streamFields)}`;

const differences = `## Differences from Bento

- Batches are written in the order in which they were read, also with several threads.
- Messages that were not written are delivered again with growing pauses, up to 10 seconds.
- A variable stands for a text, never for YAML.
- \`http\`, \`logger\`, \`metrics\` and \`tracer\` have no effect: the process decides about them. A check warns about
  fields without effect.
- Unknown fields are errors, not warnings.`;

const titles: Readonly<Record<ComponentKind, string>> = {
  input: 'Inputs',
  buffer: 'Buffers',
  processor: 'Processors',
  output: 'Outputs',
  cache: 'Caches',
  rate_limit: 'Rate limits',
  scanner: 'Scanners',
};

function sectionsOf(kind: ComponentKind): string[] {
  const names = catalogue.names(kind);
  if (names.length === 0) return [];
  return [`## ${titles[kind]}`, ...names.map((name) => sectionOf(catalogue.get(kind, name)!))];
}

function sectionOf({ kind, name, about, availability, field }: ComponentSpec): string {
  const local =
    availability === 'local' ? ' Only for `weir cli run-pipeline`, not for managed pipelines.' : '';
  const body = field.type.fields === undefined ? `Its value: ${described(field)}` : table(field.type.fields);
  return `### ${titles[kind].toLowerCase().replace(/s$/, '')} \`${name}\`\n\n${about}${local}\n\n${body}`.trimEnd();
}

function table(fields: Fields): string {
  const rows = rowsOf(fields, '');
  if (rows.length === 0) return 'It has no fields.';
  return ['| field | type | default | |', '|---|---|---|---|', ...rows].join('\n');
}

function rowsOf(fields: Fields, prefix: string): string[] {
  return Object.entries(fields).flatMap(([name, field]) => [
    `| \`${prefix}${name}\` | ${typeText(field.type)} | ${defaultText(field)} | ${cell(described(field))} |`,
    ...(field.type.fields === undefined ? [] : rowsOf(field.type.fields, `${prefix}${name}.`)),
    ...(field.type.items?.fields === undefined ? [] : rowsOf(field.type.items.fields, `${prefix}${name}[].`)),
  ]);
}

function described({ about, traits: { deprecated, isSecret, withoutEffect } }: Field<unknown>): string {
  const notes = [
    isSecret ? 'It is masked where it is shown.' : '',
    deprecated === undefined ? '' : `Deprecated: ${deprecated}.`,
    withoutEffect === undefined ? '' : `It has no effect: ${withoutEffect}.`,
  ];
  return [about, ...notes.filter(Boolean)].join(' ');
}

function typeText({ name, items, options }: FieldType): string {
  if (options !== undefined) return options.map((option) => `\`${option}\``).join(', ');
  return items === undefined ? name : `${name} of ${typeText(items)}`;
}

function defaultText({ absence }: Field<unknown>): string {
  if (absence.kind === 'default') return `\`${cell(JSON.stringify(absence.value))}\``;
  return absence.kind === 'optional' ? '' : '*required*';
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function unavailable(): string {
  const rows = Object.entries(unavailableComponents).map(
    ([kind, names]) =>
      `- ${titles[kind as ComponentKind]}: ${[...names].map((name) => `\`${name}\``).join(', ')}`,
  );
  return `## Not available\n\nBento has these too; a configuration that names one is refused.\n\n${rows.join('\n')}`;
}
