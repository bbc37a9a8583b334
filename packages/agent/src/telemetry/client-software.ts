import { caps } from '@weir/core';
import type { Apis } from '@weir/wire';
import { bareAddress } from '../handlers/client-host.ts';
import type { HandlerOf, RequestContext } from '../handlers/handler.ts';
import type { TelemetryClient } from './subscriptions.ts';

/** Remembers what clients say of themselves when they connect, as long as their connections last. */
export class ClientSoftware {
  readonly #byConnection = new WeakMap<AbortSignal, { readonly name: string; readonly version: string }>();

  /** Listens to what goes by. */
  noting(handler: HandlerOf<Apis['ApiVersions']>): HandlerOf<Apis['ApiVersions']> {
    return (request, context) => {
      const { clientSoftwareName: name, clientSoftwareVersion: version } = request;
      if (name !== '') {
        const short = (text: string) => text.slice(0, caps.softwareNameCharsMax);
        this.#byConnection.set(context.closed, { name: short(name), version: short(version) });
      }
      return handler(request, context);
    };
  }

  clientOf(instanceId: string, context: RequestContext): TelemetryClient {
    const software = this.#byConnection.get(context.closed);
    return {
      client_instance_id: instanceId,
      client_id: context.clientId ?? '',
      client_software_name: software?.name ?? '',
      client_software_version: software?.version ?? '',
      client_source_address: bareAddress(context.remoteAddress),
      client_source_port: String(context.remotePort),
    };
  }
}
