/** The topic that a subject belongs to by the usual names: `orders-value` and `orders-key` are of `orders`. */
export function topicOfSubject(subject: string): string | undefined {
  const name = subject.replace(/^:[^:]*:/, '');
  return /^(.+)-(?:key|value)$/.exec(name)?.[1];
}

/**
 * The subjects that are named after a topic and a record, such as `orders-shop.Order`. Those that end in `-key` or
 * `-value` are of whole topics, perhaps of `orders-eu`.
 */
export function subjectsOfRecords<Named extends { readonly subject: string }>(
  topic: string,
  subjects: readonly Named[],
): readonly Named[] {
  return subjects.filter(
    ({ subject }) => subject.startsWith(`${topic}-`) && topicOfSubject(subject) === undefined,
  );
}
