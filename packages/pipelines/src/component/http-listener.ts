/** A request to a pipeline. Its body was read, up to a limit. */
export interface PipelineRequest {
  readonly method: string;
  /** Without what the process puts before the paths of a pipeline. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names as HTTP/1.1 sends them, with the first of several values. */
  readonly headers: ReadonlyMap<string, string>;
  readonly remoteAddress: string;
  readonly body: Buffer;
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal;
}

export interface PipelineAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

/** Answers a request; `undefined` if its path is not one that it serves. */
export type PipelineHandler = (request: PipelineRequest) => Promise<PipelineAnswer> | undefined;

/** Where a process takes requests for its pipelines: one port for all, and a path for each pipeline. */
export interface HttpListener {
  /** Returns a function that ends it; requests that were begun are answered before. */
  listen(handler: PipelineHandler): Promise<() => Promise<void>>;
}
