import { lowerBound } from '@weir/core';
import { LinkedContexts } from '../copying/linked-contexts.ts';
import type { ExporterAnswer } from '../registry-answers.ts';
import { formatSubject, globalContext, parseSubject, referencedSubject } from '../state/qualified-subject.ts';

const anyContext = '*';
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the notation of the API.
const placeholder = '${subject}';
export const usualRenameFormat = placeholder;

/** Which subjects of a context are meant: one by its name, or all that begin with a text. */
interface SubjectPattern {
  /** `*` for all. */
  readonly context: string;
  readonly text: string;
  readonly isPrefix: boolean;
}

/**
 * Which subjects an exporter copies, and what they are called at the destination.
 *
 * `orders` is one subject, and `orders-*` all of the default context that begin so; `:.eu:orders-*` is the same in the
 * context `.eu`, and `:*:orders-*` in all contexts. `*` is the default context, and `:*:` everything.
 */
export class ExportedSubjects {
  readonly #patterns = new Map<string, PatternSet>();
  readonly #contexts: LinkedContexts;
  readonly #renameFormat: string;

  constructor({
    subjects,
    contextType,
    context,
    subjectRenameFormat,
  }: Omit<ExporterAnswer, 'name' | 'config'>) {
    for (const [place, patterns] of Map.groupBy(subjects.map(parsePattern), (pattern) => pattern.context))
      this.#patterns.set(place, new PatternSet(patterns));
    this.#contexts = new LinkedContexts({
      // The name that was chosen at the creation stays, whatever becomes of the cluster.
      contextType: contextType === 'AUTO' ? 'CUSTOM' : contextType,
      context,
      sourceName: '',
    });
    this.#renameFormat = subjectRenameFormat ?? usualRenameFormat;
  }

  /** Whether the contexts at the destination are for exporters alone, because a name of its own is before each. */
  get hasOwnContexts(): boolean {
    return this.#contexts.prefix !== '';
  }

  isExported(subject: string): boolean {
    const { context, subject: name } = parseSubject(subject);
    if (name === '' || this.#isCopy(context)) return false;
    return this.#patternsOf(context).some((patterns) => patterns.has(name));
  }

  /** Whether all subjects of a context are copied, and with them what holds for the context. */
  isWholeContext(context: string): boolean {
    if (context === globalContext || this.#isCopy(context)) return false;
    return this.#patternsOf(context).some((patterns) => patterns.hasAll);
  }

  /** The name of a subject at the destination. */
  targetOf(subject: string): string {
    const { context, subject: name } = parseSubject(subject);
    return formatSubject({ context: this.contextOf(context), subject: this.#renamed(name) });
  }

  contextOf(context: string): string {
    return this.#contexts.contextOf(context);
  }

  /** The subject of a reference, or an alias, for the destination: without a context as it was, if it had none. */
  referenceOf(context: string, subject: string): string {
    const named = parseSubject(subject);
    if (!subject.startsWith(':.')) return this.#renamed(named.subject);
    return this.targetOf(referencedSubject(context, subject));
  }

  #patternsOf(context: string): readonly PatternSet[] {
    return [anyContext, context].flatMap((place) => this.#patterns.get(place) ?? []);
  }

  #renamed(name: string): string {
    return this.#renameFormat.replaceAll(placeholder, () => name);
  }

  /** What came from here is not copied again, or two registries that export to each other would never end. */
  #isCopy(context: string): boolean {
    const { prefix } = this.#contexts;
    return prefix !== '' && `${context}.`.includes(`${prefix}.`);
  }
}

/** Patterns of one context. A lookup takes no longer for many of them. */
class PatternSet {
  readonly #names: ReadonlySet<string>;
  /** In order, and none begins with another. */
  readonly #prefixes: readonly string[];

  constructor(patterns: readonly SubjectPattern[]) {
    this.#names = new Set(patterns.filter(({ isPrefix }) => !isPrefix).map(({ text }) => text));
    const prefixes: string[] = [];
    for (const text of patterns
      .filter(({ isPrefix }) => isPrefix)
      .map((pattern) => pattern.text)
      .sort())
      if (prefixes.length === 0 || !text.startsWith(prefixes.at(-1)!)) prefixes.push(text);
    this.#prefixes = prefixes;
  }

  get hasAll(): boolean {
    return this.#prefixes[0] === '';
  }

  has(name: string): boolean {
    if (this.#names.has(name)) return true;
    // Only the last one that is not after the name can be its beginning.
    const after = lowerBound(this.#prefixes, (prefix) => prefix <= name);
    return after > 0 && name.startsWith(this.#prefixes[after - 1]!);
  }
}

/** Returns what is wrong with a pattern of subjects; `undefined` if nothing is. */
export function problemOfPattern(text: string): string | undefined {
  const { context, text: name } = parsePattern(text);
  if (text === '') return 'A subject is empty.';
  if (name.includes('*') || (context !== anyContext && context.includes('*')))
    return `The subject ${JSON.stringify(text.slice(0, 200))} has a "*" that is not at its end.`;
  return undefined;
}

/** Returns what is wrong with a format of names; `undefined` if nothing is. */
export function problemOfRenameFormat(format: string): string | undefined {
  if (!format.includes(placeholder)) return `The subjectRenameFormat has no ${placeholder}.`;
  if (format.startsWith(':')) return 'The subjectRenameFormat begins with ":"; use contextType and context.';
  return undefined;
}

function parsePattern(text: string): SubjectPattern {
  const all = /^:\*:/.test(text);
  const { context, subject } = all ? { context: anyContext, subject: text.slice(3) } : parseSubject(text);
  // `:.eu:` is the whole context.
  const isWhole = subject === '' && text.startsWith(':');
  const isPrefix = isWhole || subject.endsWith('*');
  return { context, text: isPrefix ? subject.replace(/\*$/, '') : subject, isPrefix };
}
