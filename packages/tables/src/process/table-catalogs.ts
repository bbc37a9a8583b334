import type { AllowedHosts } from '@weir/cluster/outbound';
import { type Clock, type Log, type Random, RecentlyUsed } from '@weir/core';
import { type Catalog, GlueCatalog, RestCatalog, type TableFiles } from '@weir/iceberg';
import { awsCredentials } from '@weir/storage';
import type { CatalogSettings, Credential } from '../table-definition.ts';
import type { TableBucket } from './process-messages.ts';

type AwsCredentials = ReturnType<typeof awsCredentials>;

interface TableCatalogsOptions {
  readonly bucket: Pick<TableBucket, 'environment' | 'usesMetadataService' | 's3'>;
  readonly hosts: Pick<AllowedHosts, 'lookupFor'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

interface CatalogFiles {
  readonly files: TableFiles;
  /** Below it are the tables, if a catalog asks for a place. */
  readonly root: string;
}

/** Catalogs that are open at a time: each has a token, or the prefix of a server. */
const openMax = 200;

/** Catalog servers that configurations name. Tables with the same settings share one, with its token. */
export class TableCatalogs {
  readonly #options: TableCatalogsOptions;
  readonly #rest = new RecentlyUsed<Catalog>(openMax);
  /** By region. */
  readonly #aws = new Map<string, AwsCredentials>();

  constructor(options: TableCatalogsOptions) {
    this.#options = options;
  }

  /** `credentialOf` returns the value of a credential, or throws one line. */
  open(
    settings: CatalogSettings,
    { files, root }: CatalogFiles,
    credentialOf: (credential: Credential) => string,
  ): Catalog {
    const { hosts, clock, random, log } = this.#options;
    const ca = settings.authorities && credentialOf(settings.authorities);
    const lookupFor = (host: string, port: number) => hosts.lookupFor(host, port);
    const server = { lookupFor, ca, clock, random };
    if (settings.kind === 'glue') {
      const { region, catalogId, endpoint } = settings;
      const credentials = () => this.#awsCredentials(region);
      return new GlueCatalog({ ...server, region, catalogId, endpoint, credentials, files, root, log });
    }
    const { uri, warehouse } = settings;
    const auth = this.#openedAuth(settings.auth, credentialOf);
    const key = JSON.stringify([uri, warehouse, ca, auth]);
    return this.#rest.of(key, () => new RestCatalog({ ...server, uri, warehouse, auth }));
  }

  close(): void {
    for (const credentials of this.#aws.values()) credentials.close();
    this.#aws.clear();
  }

  #openedAuth(
    auth: Extract<CatalogSettings, { kind: 'rest' }>['auth'],
    credentialOf: (credential: Credential) => string,
  ) {
    switch (auth.type) {
      case 'none':
        return auth;
      case 'bearer':
        return { type: 'bearer', token: credentialOf(auth.token) } as const;
      case 'oauth2':
        return { ...auth, clientSecret: credentialOf(auth.clientSecret) };
      case 'sigv4':
        return { ...auth, credentials: () => this.#awsCredentials(auth.region) };
    }
  }

  /** Those of the agents: the operator decides what their role may do in a catalog. */
  #awsCredentials(region: string) {
    const { bucket, clock } = this.#options;
    const { environment, usesMetadataService, s3 } = bucket;
    let credentials = this.#aws.get(region);
    if (credentials === undefined) {
      credentials = awsCredentials(
        {
          subject: `the catalog in ${region}`,
          region,
          roleArn: s3?.roleArnDefault || undefined,
          externalId: s3?.roleExternalId,
        },
        { clock, environment, usesMetadataService },
      );
      this.#aws.set(region, credentials);
    }
    return credentials.get(undefined);
  }
}
