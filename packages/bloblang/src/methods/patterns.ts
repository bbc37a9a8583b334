import { patternCost } from '@weir/cluster/patterns';
import { RE2JS } from 're2js';
import { bloblangLimits } from '../limits.ts';
import type { Frame } from '../runtime/frame.ts';
import { type MethodBody, type MethodSpec, param } from '../runtime/spec.ts';
import { fail, wrongType } from '../values/mapping-error.ts';
import { setField } from '../values/path.ts';
import { Bytes, type Value, type ValueObject } from '../values/value.ts';

const category = 'regular expressions';

/** A pattern, and what matching it against a character costs at worst. */
interface Pattern {
  readonly program: RE2JS;
  readonly cost: number;
  /** Names of groups by their number; those without a name are their number. */
  readonly groups: readonly string[];
}

const patterns = new Map<string, Pattern>();
/** A program grows while it matches; patterns that depend on the message must not pile up. */
const patternsMax = 64;

/** Compiles in the syntax of RE2, whose time grows with the text only, whatever is written. */
function patternOf(expression: string): Pattern {
  const known = patterns.get(expression);
  if (known) return known;
  if (expression.length > bloblangLimits.mappingPatternCharsMax)
    fail(`the pattern has more than ${bloblangLimits.mappingPatternCharsMax} characters`);
  const cost = patternCost(expression);
  if (cost > bloblangLimits.mappingPatternCostMax)
    fail('the pattern repeats too much; lower its repetition counts');
  const pattern = compiled(expression, cost);
  if (patterns.size >= patternsMax) patterns.delete(patterns.keys().next().value!);
  patterns.set(expression, pattern);
  return pattern;
}

function compiled(expression: string, cost: number): Pattern {
  let program: RE2JS;
  try {
    program = RE2JS.compile(expression);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
  const groups = Array.from({ length: program.groupCount() + 1 }, (_none, index) => String(index));
  for (const [name, index] of Object.entries(program.namedGroups() as Record<string, number>))
    groups[index] = name;
  return { program, cost, groups };
}

/** What a match found: the whole and the groups; a group that took no part is empty. */
interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly string[];
}

function* matchesOf({ program }: Pattern, text: string): Generator<Match> {
  const matcher = program.matcher(text);
  let lastEnd = -1;
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    // An empty match right behind another one is none.
    if (start === end && start === lastEnd) continue;
    lastEnd = end;
    const groups: string[] = [];
    for (let group = 0; group <= matcher.groupCount(); group++) groups.push(matcher.group(group) ?? '');
    yield { start, end, groups };
  }
}

function onMatches(
  run: (pattern: Pattern, text: string, frame: Frame) => Value,
): NonNullable<MethodSpec['make']> {
  return (args) => bodyOf(patternOf(args.string('pattern')), run);
}

function bodyOf(pattern: Pattern, run: (pattern: Pattern, text: string, frame: Frame) => Value): MethodBody {
  return (value, frame) => {
    if (typeof value !== 'string' && !(value instanceof Bytes)) throw wrongType(value, 'string');
    const text = typeof value === 'string' ? value : value.buffer.toString('utf8');
    frame.run.budget.step(1 + Math.ceil((text.length * pattern.cost) / 16));
    return run(pattern, text, frame);
  };
}

function charged(match: Match, frame: Frame): Match {
  frame.run.budget.build(match.groups.reduce((total, group) => total + group.length + 8, 8));
  return match;
}

function asObject(pattern: Pattern, match: Match): ValueObject {
  const object: ValueObject = {};
  match.groups.forEach((group, index) => {
    setField(object, pattern.groups[index]!, group);
  });
  return object;
}

const reference = /\$(?:\$|([A-Za-z0-9_]+)|\{([A-Za-z0-9_]+)\})/g;

/** A replacement with `$1`, `$name` and `${name}` resolved. */
function expanded(template: string, pattern: Pattern, match: Match): string {
  if (!template.includes('$')) return template;
  return template.replace(reference, (whole, bare?: string, braced?: string) => {
    if (whole === '$$') return '$';
    const index = pattern.groups.indexOf((bare ?? braced)!);
    const number = /^\d+$/.test((bare ?? braced)!) ? Number(bare ?? braced) : index;
    return match.groups[number] ?? '';
  });
}

const replaceAll: NonNullable<MethodSpec['make']> = (args) => {
  const template = args.string('value');
  return bodyOf(patternOf(args.string('pattern')), (pattern, text, frame) => {
    let result = '';
    let from = 0;
    for (const match of matchesOf(pattern, text)) {
      const added = text.slice(from, match.start) + expanded(template, pattern, match);
      frame.run.budget.build(added.length);
      result += added;
      from = match.end;
    }
    return result + text.slice(from);
  });
};

const patternParam = [param.string('pattern')];
const replaceParams = [param.string('pattern'), param.string('value')];

export const patternMethods: readonly MethodSpec[] = [
  {
    name: 're_match',
    category,
    doc: 'Whether a pattern matches some part of a string.',
    params: patternParam,
    make: onMatches(({ program }, text) => program.matcher(text).find()),
  },
  {
    name: 're_find_all',
    category,
    doc: 'Yields all matches of a pattern.',
    params: patternParam,
    make: onMatches((pattern, text, frame) =>
      Array.from(matchesOf(pattern, text), (match) => charged(match, frame).groups[0]!),
    ),
  },
  {
    name: 're_find_all_submatch',
    category,
    doc: 'Yields an array for each match of a pattern: the match and its groups.',
    params: patternParam,
    make: onMatches((pattern, text, frame) =>
      Array.from(matchesOf(pattern, text), (match) => [...charged(match, frame).groups]),
    ),
  },
  {
    name: 're_find_object',
    category,
    doc: 'Yields an object with the groups of the first match by their names, or numbers.',
    params: patternParam,
    make: onMatches((pattern, text) => {
      const first = matchesOf(pattern, text).next();
      return first.done ? {} : asObject(pattern, first.value);
    }),
  },
  {
    name: 're_find_all_object',
    category,
    doc: 'Yields an object for each match with its groups by their names, or numbers.',
    params: patternParam,
    make: onMatches((pattern, text, frame) =>
      Array.from(matchesOf(pattern, text), (match) => asObject(pattern, charged(match, frame))),
    ),
  },
  {
    name: 're_replace_all',
    category,
    doc: 'Replaces every match of a pattern; `$1` and `$name` stand for groups.',
    params: replaceParams,
    make: replaceAll,
  },
  {
    name: 're_replace',
    category,
    doc: 'Is `re_replace_all`.',
    status: 'hidden',
    params: replaceParams,
    make: replaceAll,
  },
];
