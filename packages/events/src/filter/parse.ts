import { coreLimits } from '@weir/core';
import { convert } from './convert.ts';
import { explain } from './explain.ts';
import { type FieldCheck, fieldCheck } from './known-fields.ts';
import { strictParser, type Token, tokensOf } from './language.ts';
import { collectProblems, type Problem, type Report } from './problem.ts';
import type { Filter } from './tree.ts';

interface ParseOptions {
  /**
   * Every field that events have, in the syntax of filters (`data.operation`, or `data.tags.*` for any below it). If
   * given, any other field is a problem. Events may have fields that no schema lists, so a server omits this unless it
   * knows the fields.
   */
  readonly fields?: readonly string[] | undefined;
}

/** Either the filter or at least one problem, sorted by position. */
type ParsedFilter =
  | { readonly filter: Filter; readonly problems?: undefined }
  | { readonly filter?: undefined; readonly problems: readonly Problem[] };

export function parseFilter(text: string, { fields }: ParseOptions = {}): ParsedFilter {
  const { report, list } = collectProblems(text, coreLimits.filterProblemsMax);
  const filter = read(text, fieldCheck(fields), report);
  // Tests show that everything the grammar refuses has an explanation; this is the fallback.
  if (filter === undefined && list().length === 0)
    report({ from: 0, to: text.length }, 'this is not a filter');
  const problems = list();
  return problems.length === 0 ? { filter: filter! } : { problems };
}

function read(text: string, checkField: FieldCheck, report: Report): Filter | undefined {
  if (text.length > coreLimits.filterCharsMax) {
    report(
      { from: coreLimits.filterCharsMax, to: text.length },
      `a filter may have ${coreLimits.filterCharsMax} characters at most, and this one has ${text.length}`,
    );
    return undefined;
  }
  const tokens = tokensOf(text);
  // Must run before anything that recurses per pair of parentheses.
  const tooDeep = firstTooDeep(tokens);
  if (tooDeep !== undefined) {
    report(tooDeep, `parentheses may be nested ${coreLimits.filterDepthMax} deep at most`);
    return undefined;
  }
  try {
    return convert(strictParser.parse(text).topNode, text, checkField, report);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    explain(tokens, text, checkField, report);
    return undefined;
  }
}

function firstTooDeep(tokens: readonly Token[]): Token | undefined {
  let depth = 0;
  return tokens.find(({ name }) => {
    if (name === 'OpenParen') depth++;
    if (name === 'CloseParen') depth--;
    return depth > coreLimits.filterDepthMax;
  });
}
