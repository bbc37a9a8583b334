import { type Clock, nextTurn } from '@weir/core';
import { RE2JS } from 're2js';
import { clusterLimits } from '../limits.ts';
import { patternCost } from './pattern-cost.ts';
import { PatternPrograms } from './pattern-programs.ts';

/** A client's regular expression: usable, or with a problem. */
export type Pattern = { readonly problem: string } | UsablePattern;

export interface UsablePattern {
  readonly problem: undefined;
  /** Worst-case matching work per character. */
  readonly cost: number;
  matches(text: string): boolean;
}

/** Shared by all patterns of the process. */
const programs = new PatternPrograms();

/**
 * Compiles a regular expression in RE2 syntax, like Kafka's server-side patterns. It must match the whole text. RE2
 * takes time proportional to the text and the program, whatever a client writes; JavaScript's own engine could run
 * practically for ever. Every pattern from outside goes through here, where the size of its program is limited before
 * it is compiled.
 */
export function compilePattern(expression: string): Pattern {
  const problem = limitProblem(expression) ?? syntaxProblem(expression);
  return problem === undefined ? usable(expression) : { problem };
}

/**
 * Like `compilePattern`, for a stored expression that was validated when it arrived. It is compiled on first use, so
 * that restoring many is cheap. If an earlier release accepted an expression that this one does not, it has a problem
 * if it costs too much, and otherwise matches nothing.
 */
export function restorePattern(expression: string): Pattern {
  const problem = limitProblem(expression);
  if (problem !== undefined) return { problem };
  let isChecked = false;
  let isBroken = false;
  const pattern = usable(expression);
  return {
    ...pattern,
    matches(text) {
      if (!isChecked) isBroken = syntaxProblem(expression) !== undefined;
      isChecked = true;
      return !isBroken && pattern.matches(text);
    },
  };
}

/**
 * Returns the items whose texts match, yielding to other work in between; `undefined` if that exceeds the work allowed
 * for one request.
 */
export async function matchInSlices<Item>(
  pattern: UsablePattern,
  items: readonly Item[],
  textOf: (item: Item) => string,
  clock: Pick<Clock, 'after'>,
): Promise<Item[] | undefined> {
  const stepsOf = (item: Item) => pattern.cost * (textOf(item).length + 1);
  if (items.reduce((steps, item) => steps + stepsOf(item), 0) > clusterLimits.patternStepsMax)
    return undefined;
  const found: Item[] = [];
  let steps = 0;
  for (const item of items) {
    if (pattern.matches(textOf(item))) found.push(item);
    steps += stepsOf(item);
    if (steps < clusterLimits.patternStepsPerTurn) continue;
    steps = 0;
    await nextTurn(clock);
  }
  return found;
}

/** A regular expression that is looked for anywhere in a text: usable, or with a problem. */
export type Search = { readonly problem: string } | UsableSearch;

interface UsableSearch {
  readonly problem: undefined;
  /** Worst-case work per character. Callers limit its product with the characters that they search. */
  readonly cost: number;
  /** Whether `finds` would not have to compile it first. */
  readonly isCompiled: boolean;
  finds(text: string): boolean;
}

/**
 * Compiles an expression in the syntax of JavaScript, as schemas have them, within the limits of `compilePattern`. RE2
 * has no look-around and no references to groups; such an expression has a problem.
 */
export function compileSearch(expression: string): Search {
  const translated = translation(expression);
  const problem = limitProblem(translated) ?? syntaxProblem(translated);
  if (problem !== undefined) return { problem };
  return {
    problem: undefined,
    cost: patternCost(translated),
    get isCompiled() {
      return programs.has(translated);
    },
    finds: (text) => programs.use(translated, (compiled) => compiled.test(text)),
  };
}

/** The expression in RE2's syntax, if it is short enough to look at. */
function translation(expression: string): string {
  return expression.length > clusterLimits.patternCharsMax ? expression : RE2JS.translateRegExp(expression);
}

/** A regular expression with a replacement: usable, or with a problem. */
type Rewrite =
  | { readonly problem: string }
  | { readonly problem: undefined; apply(text: string): string | undefined };

/** Replacement syntax: characters, escaped characters, and references to groups of the expression. */
const replacementPattern = /^(?:\\.|[^\\$]|\$\d|\$\{[A-Za-z][A-Za-z0-9]*\})*$/s;

/**
 * Compiles an expression like `compilePattern`, with a replacement for texts that it matches as a whole: every match in
 * the text is replaced, as by Java's `replaceAll`, where `$1` is the first group. Rewriting returns `undefined` for a
 * text that does not match.
 */
export function compileRewrite(expression: string, replacement: string): Rewrite {
  const problem = limitProblem(expression) ?? syntaxProblem(expression);
  if (problem !== undefined) return { problem };
  if (!replacementPattern.test(replacement)) {
    return {
      problem: `the replacement ${JSON.stringify(replacement)} has a $ without a group; write \\$ for the character`,
    };
  }
  const groups = programs.use(expression, (compiled) => ({
    count: compiled.groupCount(),
    named: compiled.namedGroups(),
  }));
  for (const [, digit, name] of replacement.replaceAll(/\\./gs, '').matchAll(/\$(?:(\d)|\{(\w+)\})/g)) {
    const isThere = digit === undefined ? Object.hasOwn(groups.named, name!) : Number(digit) <= groups.count;
    if (!isThere)
      return { problem: `the replacement names the group ${digit ?? name}, which the pattern does not have` };
  }
  const pattern = usable(expression);
  return {
    problem: undefined,
    apply: (text) =>
      pattern.matches(text)
        ? programs.use(expression, (compiled) => compiled.matcher(text).replaceAll(replacement, true))
        : undefined,
  };
}

function limitProblem(expression: string): string | undefined {
  if (expression.length > clusterLimits.patternCharsMax) {
    return `the pattern has ${expression.length} characters; at most ${clusterLimits.patternCharsMax} are allowed`;
  }
  const cost = patternCost(expression);
  if (cost <= clusterLimits.patternCostMax) return undefined;
  const costs = `it costs ${Math.ceil(cost)}, and ${clusterLimits.patternCostMax} is allowed`;
  return `the pattern repeats too much: ${costs}; lower its repetition counts`;
}

function syntaxProblem(expression: string): string | undefined {
  try {
    return programs.use(expression, () => undefined);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function usable(expression: string): UsablePattern {
  return {
    problem: undefined,
    cost: patternCost(expression),
    matches: (text) =>
      text.length <= clusterLimits.patternTextCharsMax &&
      programs.use(expression, (compiled) => compiled.matches(text)),
  };
}
