import { MiB } from '@weir/core';

/** Limits on what an issuer of tokens can make a process remember or read. */
export const oidcLimits = {
  /** An answer of the issuer of tokens: its description, or its keys. */
  issuerAnswerBytesMax: MiB,

  /**
   * Issuers whose keys a process remembers. The one that was not asked for the longest is forgotten first, and asked
   * again when needed.
   */
  rememberedIssuersMax: 1000,
} as const;
