/**
 * The environment variable of a flag: its words in capitals after `SERVICE_`.
 *
 * A run of capitals is one word (`maxRequestsPerCPU`), also with a plural s (`bucketURLs`) or before a capitalised word
 * (`enableACLLogs`). Only `OAuth` is written as one word that the rule would split.
 */
export function environmentName(flag: string): string {
  const words = flag.match(/OAuth|[A-Z]+s(?![a-z])|[A-Z]+\d*(?![a-z])|[A-Z]?[a-z\d]+/g) ?? [];
  return ['SERVICE', ...words].join('_').toUpperCase();
}
