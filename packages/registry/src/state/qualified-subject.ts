/** The context of subjects that name none. */
export const defaultContext = '.';

/** The scope of configs and modes that all contexts inherit. */
export const globalContext = '.__GLOBAL';

/** A subject in its context. The subject is empty when only the context is meant. */
interface QualifiedSubject {
  readonly context: string;
  readonly subject: string;
}

/** `:.ctx:subject` is `subject` in `.ctx`; a text of another form is a subject of the default context. */
export function parseSubject(text: string): QualifiedSubject {
  if (!text.startsWith(':.')) return { context: defaultContext, subject: text };
  const end = text.indexOf(':', 2);
  if (end < 0) return { context: text.slice(1), subject: '' };
  return { context: text.slice(1, end), subject: text.slice(end + 1) };
}

/** The one form in which a subject is stored and returned: without a prefix in the default context. */
export function formatSubject({ context, subject }: QualifiedSubject): string {
  return context === defaultContext ? subject : `:${context}:${subject}`;
}

/** The context that a path names: `.ctx`, `ctx` and `:.ctx:` are the same. */
export function contextOfPath(text: string): string {
  const bare = text.startsWith(':') ? text.slice(1).replace(/:$/, '') : text;
  return bare.startsWith('.') ? bare : `.${bare}`;
}

/** Puts a subject that names no context into one, as `/contexts/{context}/subjects/{subject}` does. */
export function subjectIn(context: string, subject: string): string {
  return subject.startsWith(':.') || subject.startsWith(':*:')
    ? subject
    : formatSubject({ context, subject });
}

/**
 * The subject that a reference of a schema, or an alias, means. It is of the same context unless it names another. As
 * in Confluent's registry, other contexts cannot name the default one: `:.:s` is a subject of that name there.
 */
export function referencedSubject(context: string, subject: string): string {
  if (parseSubject(subject).context !== defaultContext) return subject;
  return context === defaultContext ? normalSubject(subject) : formatSubject({ context, subject });
}

/** The scope of a context's config and mode, as in messages and paths; nothing for the default context. */
export function contextScope(context: string): string {
  return context === defaultContext ? '' : `:${context}:`;
}

/** The one form of a subject or a scope: `:.:subject` is `subject`. */
export function normalSubject(text: string): string {
  return formatSubject(parseSubject(text));
}
