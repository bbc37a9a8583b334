/** Topics, with `*` for any characters, and the field of their records to mask. */
const rulePattern = /^([a-zA-Z0-9._*-]{1,249}):([^\s,:]{1,249})$/;

export const maskRuleText =
  'topics:field, such as orders:value.card.number or *:email, where * stands for any characters';

export function isMaskRule(rule: string): boolean {
  const [, , field = ''] = rulePattern.exec(rule) ?? [];
  return field.split('.').every((name) => name !== '');
}

/** The fields of a topic that rules mask. */
export function maskedFieldsOf(topic: string, rules: readonly string[]): readonly string[] {
  const fields = rules.flatMap((rule) => {
    const [, topics, field] = rulePattern.exec(rule) ?? [];
    return topics !== undefined && matchesWildcard(topics, topic) ? [field!] : [];
  });
  return [...new Set(fields)];
}

/** Whether a text matches a pattern in which `*` stands for any characters; in time that grows with the text. */
export function matchesWildcard(pattern: string, text: string): boolean {
  const [first, ...others] = pattern.split('*');
  if (others.length === 0) return pattern === text;
  if (!text.startsWith(first!)) return false;
  const last = others.pop()!;
  let at = first!.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
