import { blankComments, blankCommentsAndStrings, lineOf } from './source-text.ts';

/** Allowed first words of a log message. New verbs are welcome; articles and nouns are not. */
const logVerbs: readonly string[] = [
  'aborted',
  'added',
  'applied',
  'called',
  'changed',
  'closed',
  'connected',
  'created',
  'disabled',
  'dropped',
  'failed',
  'finished',
  'forgot',
  'found',
  'handed',
  'ignored',
  'issued',
  'killed',
  'loaded',
  'lost',
  'noted',
  'received',
  'recovered',
  'redirected',
  'refused',
  'removed',
  'renewed',
  'replaced',
  'restarted',
  'resumed',
  'retrying',
  'skipped',
  'started',
  'stopped',
  'switched',
  'verified',
];

const messageCharsMax = 80;

/** Files with a function that forwards its caller's message, and the pattern of calls to it. */
export const logForwarders: Readonly<Record<string, RegExp | undefined>> = {
  'packages/agent/src/events/emitting-log.ts': undefined,
  'packages/http/src/server/refusals.ts': /\brefusals\s*\.\s*log\(\s*[^,()]+,\s*/g,
  'packages/security/src/sasl/failure-log.ts': /#failures\s*\.\s*log\(\s*/g,
  'packages/broker/src/zone/zone-warnings.ts': /\bwarnings\s*\.\s*warn\(\s*/g,
  'packages/controlplane/src/cluster-secrets.ts': /\btryTo\(\s*\w+,\s*/g,
};

const logCall = /(?<!\w)\w*log\??\s*(?:\.\s*(?:debug|info|warn|error)|\[\w+\](?=\(\s*['`]))\(\s*/gi;

/** Other names for the field `error`. */
const errorSynonyms: readonly string[] = ['cause', 'err', 'exception', 'failure', 'problem', 'why'];

/** Returns one line per log message that is not constant or breaks the style, and per misnamed field. */
export function logProblems({ path, text }: { readonly path: string; readonly text: string }): string[] {
  const problems: string[] = [];
  const source = blankComments(text);
  const code = blankCommentsAndStrings(text);
  const patterns = [logCall, ...Object.values(logForwarders).filter((pattern) => pattern !== undefined)];
  for (const pattern of patterns) {
    for (const match of source.matchAll(pattern)) {
      const start = match.index + match[0].length;
      const call = source.slice(start);
      const problem = problemWith(call, path) ?? fieldProblem(call, fieldsOf(code.slice(start)));
      if (problem !== undefined) problems.push(`${path}:${lineOf(source, match.index)}: ${problem}`);
    }
  }
  return problems;
}

function problemWith(call: string, path: string): string | undefined {
  if (/^message\b/.test(call) && path in logForwarders) return undefined;
  const message = /^'((?:\\.|[^'\\\n])*)'\s*[,)]/.exec(call)?.[1];
  if (message === undefined) return 'the message is not constant; put details into fields';
  const [verb] = message.split(' ');
  if (!logVerbs.includes(verb!)) {
    return `"${message}" begins with "${verb}"; begin with a verb, as in "failed to open file"`;
  }
  if (/[.;!]/.test(message)) return `"${message}" has more than one sentence; put details into fields`;
  if (message.length > messageCharsMax) return `"${message}" is longer than ${messageCharsMax} characters`;
  return undefined;
}

function fieldProblem(call: string, fields: readonly string[]): string | undefined {
  const misnamed = fields.find((field) => errorSynonyms.includes(field));
  if (misnamed !== undefined) return `the field "${misnamed}"; name an error "error"`;
  // A reason code may stand beside the error, and is no error where nothing failed.
  if (call.startsWith("'failed ") && fields.includes('reason') && !fields.includes('error')) {
    return 'the field "reason" of a failure; name an error "error"';
  }
  return undefined;
}

/** Returns the property names of the objects among the arguments of a call; nested objects are not searched. */
function fieldsOf(args: string): string[] {
  const fields: string[] = [];
  let depth = 0;
  let previous = '';
  for (const [token] of args.matchAll(/[\w$]+|\.{3}|\S/g)) {
    if ('([{'.includes(token)) depth++;
    else if (')]}'.includes(token)) depth--;
    else if (depth === 1 && (previous === '{' || previous === ',')) fields.push(token);
    if (depth < 0) break;
    previous = token;
  }
  return fields;
}
