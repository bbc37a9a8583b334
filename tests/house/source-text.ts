/**
 * TypeScript as text, for rules that need no syntax tree. Comments, and on request the contents of strings, are
 * replaced by spaces, so that line numbers stay the same and prose about `Date.now` does not count as a call.
 */
export function blankComments(source: string): string {
  return blank(source, false);
}

/** The comments alone: everything else is blanked. */
export function commentsOf(source: string): string {
  const code = blankComments(source);
  return Array.from({ length: source.length }, (_, at) =>
    source[at] === '\n' || source[at] !== code[at] ? source[at] : ' ',
  ).join('');
}

export function blankCommentsAndStrings(source: string): string {
  return blank(source, true);
}

// One alternative per token that can hide another: strings hide comments, comments hide quotes.
const tokens =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[=(,:!&|?{;[]\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//g;

function blank(source: string, stringsToo: boolean): string {
  return source.replace(tokens, (token) => {
    if (token.startsWith('//') || token.startsWith('/*')) return spaces(token);
    if (token.startsWith('`')) return stringsToo ? blankTemplate(token) : token;
    return stringsToo ? spaces(token) : token;
  });
}

/** Code inside `${…}` is not blanked, because it runs. */
function blankTemplate(token: string): string {
  let kept = '';
  let depth = 0;
  for (let i = 0; i < token.length; i++) {
    const opens = token[i] === '$' && token[i + 1] === '{';
    if (depth === 0 && !opens) {
      kept += token[i] === '\n' ? '\n' : ' ';
      continue;
    }
    if (token[i] === '{') depth++;
    if (token[i] === '}') depth--;
    kept += token[i];
    if (opens && depth === 0) {
      kept += token[++i];
      depth = 1;
    }
  }
  return kept;
}

function spaces(token: string): string {
  return token.replaceAll(/[^\n]/g, ' ');
}

interface Import {
  readonly specifier: string;
  readonly line: number;
}

// An import statement has no quote before `from`; the word alone may occur in any message.
const importPattern =
  /(?:\b(?:import|export)\s[^'"`;]*?\bfrom\s*|\bimport\s*|\b(?:import|require|import\.meta\.resolve)\s*\(\s*)(['"])([^'"\n]+)\1/g;

/** Returns every module that a file names: static and dynamic imports, re-exports and requires. */
export function importsOf(source: string): Import[] {
  const text = blankComments(source);
  return [...text.matchAll(importPattern)].map((match) => ({
    specifier: match[2]!,
    line: lineOf(text, match.index),
  }));
}

export function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
