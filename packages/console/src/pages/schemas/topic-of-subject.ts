/** The topic that a subject belongs to by the usual names: `orders-value` and `orders-key` are of `orders`. */
export function topicOfSubject(subject: string): string | undefined {
  const name = subject.replace(/^:[^:]*:/, '');
  return /^(.+)-(?:key|value)$/.exec(name)?.[1];
}
