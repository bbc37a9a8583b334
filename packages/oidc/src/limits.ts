import { MiB } from '@weir/core';

/** Limits on what a token issuer can make a process store or read. */
export const oidcLimits = {
  /** A response of an issuer: its metadata, or its keys. */
  issuerAnswerBytesMax: MiB,

  /**
   * Issuers whose keys a process caches. The least recently used one is evicted first, and fetched again when needed.
   */
  rememberedIssuersMax: 1000,
} as const;
