import { formatSubject, parseSubject, referencedSubject } from '@weir/registry';
import type { DesiredSchema, DesiredSubject } from '../desired.ts';
import type { DocumentProblem } from './problem.ts';

interface OrderedSchemas {
  /** Each after those that it refers to and after the earlier ones of its subject; else as in the documents. */
  readonly schemas: readonly DesiredSchema[];
  /** Schemas that refer to themselves through others. */
  readonly problems: readonly DocumentProblem[];
}

/** Orders the schemas of all subjects so that each can be registered when its turn comes. */
export function orderedSchemas(subjects: readonly DesiredSubject[]): OrderedSchemas {
  const bySubject = new Map(subjects.map(({ name, schemas }) => [name, schemas]));
  const needsOf = (schema: DesiredSchema): DesiredSchema[] => {
    const siblings = bySubject.get(schema.subject) ?? [];
    const earlier = siblings[siblings.indexOf(schema) - 1];
    const referenced = schema.references.flatMap((reference) => {
      const named = subjectOfReference(schema.subject, reference.subject);
      const versions = named === schema.subject ? [] : (bySubject.get(named) ?? []);
      // In a new registry, the number of a version is its place in the list.
      return versions[(reference.version ?? versions.length) - 1] ?? versions.at(-1) ?? [];
    });
    return earlier === undefined ? referenced : [earlier, ...referenced];
  };
  const order: DesiredSchema[] = [];
  const problems: DocumentProblem[] = [];
  const done = new Set<DesiredSchema>();
  for (const first of subjects.flatMap(({ schemas }) => schemas)) {
    // A stack instead of recursion: a chain may be as long as the documents.
    const open = new Set<DesiredSchema>();
    const stack = done.has(first) ? [] : [{ schema: first, needs: needsOf(first) }];
    open.add(first);
    while (stack.length > 0) {
      const { schema, needs } = stack.at(-1)!;
      const next = needs.shift();
      if (next === undefined) {
        stack.pop();
        open.delete(schema);
        done.add(schema);
        order.push(schema);
      } else if (open.has(next)) {
        const message = `subject ${schema.subject}: circular reference with ${next.subject}`;
        problems.push({ place: schema.place, message });
      } else if (!done.has(next)) {
        open.add(next);
        stack.push({ schema: next, needs: needsOf(next) });
      }
    }
  }
  return { schemas: order, problems };
}

/** The subject that a reference means: of the same context, unless it names another. */
export function subjectOfReference(subject: string, referenced: string): string {
  return formatSubject(parseSubject(referencedSubject(parseSubject(subject).context, referenced)));
}
