import { KiB, MiB } from '@weir/core';

/** Limits of the Model Context Protocol. */
export const mcpLimits = {
  /**
   * A peer of the control plane has this long for its headers, for its whole request, and for the body of a call of
   * the API or of a model.
   */
  controlPlaneHeadersMsMax: 10_000,
  controlPlaneRequestMsMax: 15_000,
  apiBodyMsMax: 10_000,

  /**
   * A message of the Model Context Protocol, messages that are being answered, and streams that wait for changes.
   * The largest message has a filter for events or two.
   */
  mcpRequestBytesMax: 256 * KiB,
  mcpRequestDepthMax: 32,
  mcpRequestValuesMax: 2_000,
  mcpRequestsRunningMax: 512,
  mcpSubscriptionsMax: 64,

  /**
   * An answer of a tool, in tokens of four characters: by default, and at most. In a model's own tokens it may be
   * twice as much, which is still less than the 25,000 at which clients refuse answers.
   */
  mcpAnswerTokensUsual: 4_000,
  mcpAnswerTokensMax: 12_000,

  /** How long a user has to confirm a change, and how many of its values the question shows. */
  mcpConfirmationSecondsMax: 300,
  mcpConfirmationRowsMax: 20,

  /** Rows of one answer of a tool, and values that one completion offers. */
  mcpRowsMax: 200,
  mcpCompletionsMax: 100,

  /** Records of one sample, characters of a key or value in it, and its headers in detailed answers. */
  mcpSampledRecordsMax: 50,
  mcpRecordCharsConcise: 500,
  mcpRecordCharsDetailed: 4_000,
  mcpRecordHeadersMax: 20,

  /** Pages of the documentation that are served, and one page. */
  docsPagesMax: 500,
  docsPageBytesMax: 2 * MiB,
} as const;
