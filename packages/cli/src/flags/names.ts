/**
 * The environment variable of a flag: its words in capitals after `SERVICE_`.
 *
 * A run of capitals is one word (`maxRequestsPerCPU`), also with a plural s (`bucketURLs`) or before a capitalised word
 * (`enableACLLogs`). Only `OAuth` is written as one word that the rule would split.
 */
export function environmentName(flag: string): string {
  return ['SERVICE', ...wordsOf(flag)].join('_').toUpperCase();
}

/** The flag as tools show it: its words in lower case with dashes between them. */
export function toolStyle(flag: string): string {
  return wordsOf(flag).join('-').toLowerCase();
}

function wordsOf(flag: string): readonly string[] {
  return flag.match(/OAuth|[A-Z]+s(?![a-z])|[A-Z]+\d*(?![a-z])|[A-Z]?[a-z\d]+/g) ?? [];
}
