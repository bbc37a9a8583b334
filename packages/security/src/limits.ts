import { KiB, MiB } from '@weir/core';

/** Limits of logins, certificates and access checks. */
export const securityLimits = {
  /**
   * Decisions about clients that an agent remembers until a rule changes, unless a name is longer than this. About
   * 300 bytes each.
   */
  aclDecisionsMax: 64 * KiB,
  aclDecisionNameCharsMax: 256,

  /** Denials that an agent remembers, so that it logs each of them now and then only. */
  aclDenialsMax: 4096,

  /** Lines about denials that an agent logs per second, whatever happens. */
  aclDenialsLoggedPerSecond: 50,

  /** Events about what ACLs allowed that an agent emits per second, while those events are on. */
  aclAllowancesPerSecond: 20,

  /**
   * Rules that can never match which an agent logs one by one when it learns of them; it logs the number of the
   * others.
   */
  aclInvalidRulesLoggedMax: 20,

  /** A PROXY header with all its fields. Proxies send some dozens of bytes, and rarely some hundreds. */
  proxyHeaderBytesMax: 4 * KiB,

  /** A SPIFFE id, by its standard. */
  spiffeIdCharsMax: 2048,

  /** A file with certificates. All authorities that browsers trust together take a quarter of it. */
  tlsFileBytesMax: MiB,

  /** A frame of a client that has not logged in yet: Kafka's `sasl.server.max.receive.size`. */
  frameBytesBeforeLoginMax: 512 * KiB,

  /** One token of a login. The largest are those of OAuth, with groups and roles. */
  saslTokenBytesMax: 64 * KiB,

  /** Passwords whose check is remembered, right ones and wrong ones each: about 150 bytes. */
  rememberedLoginsMax: 20_000,

  /**
   * Passwords that wait to be checked, of all clients and of one address. Each takes a processor some milliseconds.
   */
  waitingLoginsMax: 8192,
  waitingLoginsPerAddressMax: 512,

  /** Failed logins whose answer is delayed. The connections of further ones are closed without an answer. */
  delayedRefusalsMax: 10_000,
} as const;
