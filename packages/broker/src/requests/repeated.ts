/** Returns the members that occur more than once in a list, in one pass. */
export function repeatedOf<Member>(list: Iterable<Member>): ReadonlySet<Member> {
  const seen = new Set<Member>();
  const repeated = new Set<Member>();
  for (const member of list) {
    if (seen.has(member)) repeated.add(member);
    else seen.add(member);
  }
  return repeated;
}
