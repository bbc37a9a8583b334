/** Rules about clusters that forms check before they send; without the schemas, which are large. */

/** With or without the prefix of its type. */
export const clusterNamePattern = /^[a-zA-Z0-9_]{3,135}$/;
export const clusterNameRule = 'is not 3 to 128 letters, digits and underscores';

export const clusterTiers = ['dev', 'fundamentals', 'pro', 'enterprise', 'legacy'] as const;
export const cloudProviders = ['aws', 'gcp', 'azure'] as const;
