import { createHash } from 'node:crypto';
import { contextOfPath, defaultContext, formatSubject, parseSubject } from '../state/qualified-subject.ts';

/** Where schemas of a context of the source go. */
export type LinkingContextType = 'DEFAULT' | 'AUTO' | 'CUSTOM' | 'NONE';

interface ContextChoice {
  readonly contextType: LinkingContextType;
  /** With CUSTOM: with or without the leading dot. */
  readonly context?: string | undefined;
  /** Names the source, for AUTO. */
  readonly sourceName: string;
}

/**
 * Maps contexts of a source registry to those of the destination:
 *
 * - DEFAULT: all of them become the default context;
 * - NONE: each stays what it is;
 * - CUSTOM: a context is put before each: `.` becomes `.custom`, and `.a` becomes `.custom.a`;
 * - AUTO: the same with `.lsrc-` and six letters that depend on the address of the source alone.
 */
export class LinkedContexts {
  readonly #type: LinkingContextType;
  readonly #prefix: string;

  constructor({ contextType, context, sourceName }: ContextChoice) {
    this.#type = contextType;
    this.#prefix =
      contextType === 'CUSTOM'
        ? contextOfPath(context ?? '')
        : contextType === 'AUTO'
          ? autoContext(sourceName)
          : '';
  }

  /** What is put before each context; nothing if they keep their names, or all become one. */
  get prefix(): string {
    return this.#prefix === defaultContext ? '' : this.#prefix;
  }

  contextOf(sourceContext: string): string {
    if (this.#type === 'DEFAULT') return defaultContext;
    if (this.prefix === '') return sourceContext;
    return sourceContext === defaultContext ? this.#prefix : this.#prefix + sourceContext;
  }

  subjectOf(sourceSubject: string): string {
    const { context, subject } = parseSubject(sourceSubject);
    return formatSubject({ context: this.contextOf(context), subject });
  }

  /** The subject of a reference, as the destination has it. One without a context is in that of its schema. */
  referenceOf(subject: string): string {
    return subject.startsWith(':.') ? this.subjectOf(subject) : subject;
  }

  /** Whether a context of the destination can be the place of one of the source. */
  isTarget(context: string): boolean {
    if (this.#type === 'DEFAULT') return context === defaultContext;
    if (this.prefix === '') return true;
    return context === this.#prefix || context.startsWith(`${this.#prefix}.`);
  }
}

/** The context in which others find the schemas of a registry, by its name. */
export function autoContext(sourceName: string): string {
  const digest = createHash('sha256').update(sourceName).digest();
  return `.lsrc-${Array.from(digest.subarray(0, 6), (byte) => String.fromCharCode(97 + (byte % 26))).join('')}`;
}
