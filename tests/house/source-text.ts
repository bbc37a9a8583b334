/**
 * TypeScript as text, for rules that need no syntax tree. Comments, and on request the contents of strings, are
 * replaced by spaces, so that line numbers stay the same and prose about `Date.now` does not count as a call.
 */
export function blankComments(source: string): string {
  return blank(source, false);
}

/** The comments alone: everything else is blanked. */
export function commentsOf(source: string): string {
  return whereDifferent(source, blankComments(source), (line, code) =>
    Array.from({ length: line.length }, (_, at) => (line[at] === code[at] ? ' ' : line[at])).join(''),
  );
}

/** The contents of strings and templates alone: code, comments and the code inside `${…}` are blanked. */
export function stringsOf(source: string): string {
  return whereDifferent(blankComments(source), blankCommentsAndStrings(source), (line, code) =>
    Array.from({ length: line.length }, (_, at) => {
      const isKept = line[at] !== code[at] || (line[at] === ' ' && line[at - 1] !== code[at - 1]);
      return isKept ? line[at] : ' ';
    }).join(''),
  );
}

/** Replaces the lines that differ from those of the other text. Most do not, and are blanked as a whole. */
function whereDifferent(text: string, other: string, kept: (line: string, code: string) => string): string {
  const others = other.split('\n');
  const lines = text.split('\n');
  return lines
    .map((line, at) => (line === others[at] ? ' '.repeat(line.length) : kept(line, others[at]!)))
    .join('\n');
}

export function blankCommentsAndStrings(source: string): string {
  return blank(source, true);
}

const quoted = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/y;
const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const regexLiteral = /\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*/y;
/** The text of a template, up to its end or the next `${`. */
const templateText = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y;
const opening = /['"`/{}]/g;
/** After these a slash begins a regular expression, and elsewhere it divides. */
const beforeRegex =
  /(?:^|[=(,:!&|?{;[+*%~^<>-]|\b(?:return|case|typeof|of|in|do|else|void|throw|await|yield))\s*$/;

/** What was blanked in this process, because several rules read the same files. */
const blanked = { code: new Map<string, string>(), all: new Map<string, string>() };

function blank(source: string, stringsToo: boolean): string {
  const known = stringsToo ? blanked.all : blanked.code;
  const found = known.get(source) ?? blankAnew(source, stringsToo);
  known.set(source, found);
  return found;
}

function blankAnew(source: string, stringsToo: boolean): string {
  let result = '';
  let done = 0;
  // Open braces since each `${` that is open. The rest of the template follows the brace that closes it.
  const templates: number[] = [];
  const keep = (end: number) => {
    result += source.slice(done, end);
    done = end;
  };
  const skip = (end: number, isBlanked: boolean) => {
    const token = source.slice(done, end);
    result += isBlanked ? spaces(token) : token;
    done = end;
  };
  const inTemplate = (start: number) => {
    const end = endOf(templateText, source, start) ?? source.length;
    const isInterrupted = source.startsWith('${', end - 2);
    if (isInterrupted) templates.push(0);
    // Code inside `${…}` is not blanked, because it runs.
    skip(isInterrupted ? end - 2 : end, stringsToo);
    keep(end);
  };
  while (done < source.length) {
    opening.lastIndex = done;
    const at = opening.exec(source)?.index ?? source.length;
    keep(at);
    const char = source[at];
    const commentEnd = char === '/' ? endOf(comment, source, at) : undefined;
    if (commentEnd !== undefined) skip(commentEnd, true);
    else if (char === '`') inTemplate(at + 1);
    else if (char === '}' && templates.at(-1) === 0) {
      templates.pop();
      keep(at + 1);
      inTemplate(at + 1);
    } else if (char === '{' || char === '}') {
      if (templates.length > 0) templates.push(templates.pop()! + (char === '{' ? 1 : -1));
      keep(at + 1);
    } else if (char === '/') {
      const end = beforeRegex.test(source.slice(Math.max(0, at - 32), at))
        ? endOf(regexLiteral, source, at)
        : undefined;
      skip(end ?? at + 1, end !== undefined && stringsToo);
    } else if (char !== undefined) {
      const end = endOf(quoted, source, at);
      skip(end ?? at + 1, end !== undefined && stringsToo);
    }
  }
  return result;
}

/** Returns where the token at a position ends, if there is one. */
function endOf(token: RegExp, source: string, start: number): number | undefined {
  token.lastIndex = start;
  return token.test(source) ? token.lastIndex : undefined;
}

function spaces(token: string): string {
  return token
    .split('\n')
    .map((line) => ' '.repeat(line.length))
    .join('\n');
}

interface Import {
  readonly specifier: string;
  readonly line: number;
}

// An import statement has no quote before `from`; the word alone may occur in any message. An import for its effects
// has single quotes, which the formatter ensures: double quotes are the imports of `.proto` texts.
const importPattern =
  /(?:\b(?:import|export)\s[^'"`;]*?\bfrom\s*|\bimport\s*(?=')|\b(?:import|require|import\.meta\.resolve)\s*\(\s*)(['"])([^'"\n]+)\1/g;

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
