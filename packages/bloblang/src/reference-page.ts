import { formatBytes } from '@weir/core';
import { pipelineEnvironment } from './environments.ts';
import { bloblangLimits } from './limits.ts';
import type { FunctionSpec, MethodSpec, Parameter, Parameters } from './runtime/spec.ts';
import { unavailableFunctions, unavailableMethods } from './unavailable.ts';

type Spec = FunctionSpec | MethodSpec;

/** The reference page of mappings, as Markdown. */
export function bloblangPage(): string {
  const { functions, methods } = pipelineEnvironment;
  return `${[
    introduction,
    differences,
    limits,
    section('Functions', [...functions.values()]),
    section('Methods', [...methods.values()]),
    unavailable,
  ].join('\n\n')}\n`;
}

const introduction = `# Bloblang

<!-- Written by scripts/docs.ts from packages/bloblang/src. Change the tables there, not this page. -->

Mappings transform records. Weir has the language as Bento has it (V1): statements, maps, imports, \`match\`, \`if\`, lambdas,
\`|\` and \`catch\`, metadata, \`deleted()\`. \`weir cli blobl\` runs a mapping on lines of JSON, and \`weir cli
validate-pipeline-config\` checks the mappings of a configuration.

Mappings of table transforms cannot call what the tables below mark as *impure*: the result depends on the record alone.`;

const differences = `## Differences from Bento

- A message that a mapping returns has its keys in the order in which they were set; Bento sorts them. \`string\`, \`bytes\` and
  \`format_json\` sort them here too.
- Numbers of a message are kept by their value: \`5.0\` may be printed as \`5\`. Integers keep all digits, also those that
  \`parse_json\` reads. Fields that a mapping leaves as they are may keep their text.
- An unsigned integer beyond 63 bits stays unsigned beside a number that is not negative.
- Strings are Unicode: where Bento would cut a character in the middle, a replacement character takes its place.
  \`encrypt_aes\` yields bytes, and so does what else would be a string of bytes.
- Values do not change behind your back: \`set\`, \`merge\` and \`append\` return new values, and variables keep what they were
  set to.
- The local time zone is UTC. Abbreviations of rare zones are offsets.
- \`values\` and \`key_values\` follow the order of keys; Bento has no order.
- \`random_int\` yields other numbers for the same seed.
- A file that imports itself is refused. A comment may end the text without a line break.
- \`[].format_json()\` is \`[]\`; Bento prints \`null\` for an empty literal.
- \`format_yaml\` may choose other quotes. \`unescape_html\` knows the names of HTML 4.
- \`repeat\` with a negative count yields an empty string, as in Bento; the written specification of V1 calls it an error.`;

const limits = `## Limits of a run

A mapping that exceeds one of these fails on the message, with one line that names the limit; it cannot catch that, except
for the depth of maps.

| | |
|---|---|
| maps within maps | ${bloblangLimits.mapDepthMax} |
| steps: elements visited or copied, maps applied, statements, characters matched | ${bloblangLimits.stepsMax.toLocaleString('en')} |
| strings, bytes and arrays that are built | ${formatBytes(bloblangLimits.builtBytesMax)} |

Regular expressions have the syntax of RE2, so that no pattern takes more time than the text is long.`;

function section(title: string, specs: readonly Spec[]): string {
  const shown = specs.filter(({ status }) => status !== 'hidden');
  const categories = [...new Set(shown.map(({ category }) => category))];
  return [
    `## ${title}`,
    ...categories.map((category) => {
      const rows = shown.filter((spec) => spec.category === category).map(rowOf);
      return [`### ${title}: ${category}`, '', '| | |', '|---|---|', ...rows].join('\n');
    }),
  ].join('\n\n');
}

function rowOf(spec: Spec): string {
  const notes = [spec.status, spec.needs === undefined ? undefined : 'impure'].filter(Boolean);
  const note = notes.length === 0 ? '' : ` *${notes.join(', ')}*`;
  return `| \`${spec.name}(${signatureOf(spec.params)})\`${note} | ${spec.doc.replaceAll('|', '\\|')} |`;
}

function signatureOf(params: Parameters): string {
  return params === 'variadic' ? '…' : params.map(parameterText).join(', ');
}

function parameterText({ name, type, isOptional, default: value }: Parameter): string {
  const text = `${name}${isOptional ? '?' : ''}: ${type === 'query expression' ? 'query' : type}`;
  if (value === undefined) return text;
  return `${text} = ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`;
}

const unavailable = `## Not available

${Object.entries({ ...unavailableFunctions, ...unavailableMethods })
  .map(([name, why]) => `- \`${name}\`: ${why}.`)
  .join('\n')}`;
