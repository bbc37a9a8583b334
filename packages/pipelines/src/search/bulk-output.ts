import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { contentOf } from '@weir/bloblang';
import { httpExchange, targetOfUrl, withinTime } from '@weir/http/client';
import type { AwsSigner } from '../aws/aws-signer.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { BatchFailure, type Output } from '../component/instances.ts';
import type { Batch, Message } from '../component/message.ts';
import type { TlsOptions } from '../component/tls-fields.ts';
import { pipelineLimits } from '../limits.ts';

/** What is to be done with a document. */
interface BulkAction {
  readonly action: string;
  readonly index: string;
  readonly id: string;
  readonly routing: string;
  readonly pipeline: string;
}

interface BulkOptions {
  readonly urls: readonly string[];
  readonly authorization: string | undefined;
  readonly tls: TlsOptions | undefined;
  /** Adds the signature of AWS to a request. */
  readonly signer?: AwsSigner | undefined;
  readonly timeoutMs: number;
  readonly compresses: boolean;
  /** Whether the message is the document of an update, and not the request for one. */
  readonly wrapsUpdates: boolean;
  /** Throws if a query fails. */
  actionFor(batch: Batch, index: number): BulkAction;
}

const compressed = promisify(gzip);
const actions: ReadonlySet<string> = new Set(['create', 'index', 'update', 'upsert', 'delete']);
const shownCharsMax = 300;

/** A server answered, and not with a success. */
class UnexpectedAnswer extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(`the server answered with status ${status}: ${text.slice(0, shownCharsMax)}`);
    this.status = status;
  }
}

/** Writes a batch with one request of the bulk API, whose answer says which documents were stored. */
export class BulkOutput implements Output {
  readonly #options: BulkOptions;
  readonly #context: ComponentContext;
  readonly #agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  /** Of the server that is used; another after a failure. */
  #server = 0;

  constructor(options: BulkOptions, context: ComponentContext) {
    this.#options = options;
    this.#context = context;
    this.#agents = {
      http: new HttpAgent({ keepAlive: true }),
      https: new HttpsAgent({ keepAlive: true, ...options.tls }),
    };
  }

  async write(batch: Batch, stop: AbortSignal): Promise<void> {
    const failed = new Map<number, Error>();
    const lines: Buffer[] = [];
    /** Where the documents of the request are in the batch. */
    const sent: number[] = [];
    for (const [index, message] of batch.entries()) {
      try {
        lines.push(...this.#linesOf(this.#options.actionFor(batch, index), message));
        sent.push(index);
      } catch (error) {
        failed.set(index, error as Error);
      }
    }
    if (sent.length > 0) {
      const answer = await this.#post(Buffer.concat(lines), stop);
      for (const [at, problem] of problemsIn(answer, sent.length)) failed.set(sent[at]!, problem);
    }
    if (failed.size > 0) throw new BatchFailure(failed);
  }

  async close(): Promise<void> {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
    this.#options.signer?.close();
  }

  #linesOf({ action, index, id, routing, pipeline }: BulkAction, message: Message): Buffer[] {
    if (!actions.has(action)) throw new Error(`action has to be one of ${[...actions].join(', ')}`);
    const head = {
      [action === 'upsert' ? 'update' : action]: {
        _index: index,
        ...(id !== '' && { _id: id }),
        ...(routing !== '' && { routing }),
        ...(pipeline !== '' && { pipeline }),
      },
    };
    const lines: Buffer[] = [Buffer.from(`${JSON.stringify(head)}\n`)];
    if (action === 'delete') return lines;
    // Printed again: a line feed would end the document.
    const document = contentOf(message.document());
    const isUpdate = action === 'update' || action === 'upsert';
    if (isUpdate && this.#options.wrapsUpdates)
      lines.push(Buffer.from('{"doc":'), document, Buffer.from(`,"doc_as_upsert":${action === 'upsert'}}`));
    else lines.push(document);
    lines.push(Buffer.from('\n'));
    return lines;
  }

  async #post(body: Buffer, stop: AbortSignal): Promise<string> {
    const { urls, timeoutMs, compresses, authorization, signer } = this.#options;
    const { clock, outbound } = this.#context;
    const base = urls[this.#server % urls.length]!;
    const url = new URL(`${base.replace(/\/+$/, '')}/_bulk`);
    const { host, port, isSecure } = targetOfUrl(url);
    try {
      const lookup = outbound.lookupFor(host, port);
      const content = compresses ? await compressed(body) : body;
      const plain = {
        'content-type': 'application/x-ndjson',
        ...(compresses && { 'content-encoding': 'gzip' }),
        ...(authorization !== undefined && { authorization }),
      };
      return await withinTime({ clock, timeoutMs, stop }, async (signal) =>
        httpExchange(
          {
            url,
            method: 'POST',
            headers: (await signer?.sign({ url, headers: plain, body: content }, signal)) ?? plain,
            body: content,
            agent: isSecure ? this.#agents.https : this.#agents.http,
            lookup,
            signal,
          },
          async ({ status, text }) => {
            const answer = await text(pipelineLimits.httpAnswerBytesMax);
            if (status < 200 || status > 299) throw new UnexpectedAnswer(status, answer);
            return answer;
          },
        ),
      );
    } catch (error) {
      this.#server++;
      throw error;
    }
  }
}

interface BulkItem {
  readonly status?: number;
  readonly error?: { readonly type?: string; readonly reason?: string } | string;
}

/** Documents that were not stored, by their place in the request. */
function problemsIn(answer: string, count: number): Map<number, Error> {
  let items: readonly Readonly<Record<string, BulkItem>>[] | undefined;
  try {
    items = (JSON.parse(answer) as { items?: typeof items }).items;
  } catch {
    items = undefined;
  }
  if (!Array.isArray(items) || items.length !== count)
    throw new Error('the answer of the server does not say which documents were stored');
  const problems = new Map<number, Error>();
  for (const [at, item] of items.entries()) {
    const [action, outcome] = Object.entries(item as Readonly<Record<string, BulkItem>>)[0] ?? [];
    const { status = 500, error } = outcome ?? {};
    // What is not there is deleted.
    if (status < 300 || (action === 'delete' && status === 404 && error === undefined)) continue;
    const reason = typeof error === 'object' ? `${error.type}: ${error.reason}` : String(error ?? 'unknown');
    problems.set(
      at,
      new Error(`the document was refused with status ${status}: ${reason.slice(0, shownCharsMax)}`),
    );
  }
  return problems;
}
