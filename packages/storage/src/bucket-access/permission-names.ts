/** What a user of a bucket needs to be able to do. */
export type BucketNeed = 'list' | 'write' | 'read' | 'delete';

interface PermissionNames extends Readonly<Record<BucketNeed, string>> {
  /** What is allowed or denied. */
  readonly subject: string;
}

/** The names of permissions in the terms of each store, by the scheme of its URL. */
const namesOfScheme: Readonly<Partial<Record<string, PermissionNames>>> = {
  s3: {
    subject: 'the credentials',
    list: 's3:ListBucket',
    write: 's3:PutObject',
    read: 's3:GetObject',
    delete: 's3:DeleteObject',
  },
  gs: {
    subject: 'the credentials',
    list: 'storage.objects.list',
    write: 'storage.objects.create',
    read: 'storage.objects.get',
    delete: 'storage.objects.delete',
  },
  azblob: {
    subject: 'the credentials',
    list: 'blobs/read, or l of a SAS token',
    write: 'blobs/write, or w of a SAS token',
    read: 'blobs/read, or r of a SAS token',
    delete: 'blobs/delete, or d of a SAS token',
  },
  postgres: databaseNames(),
  postgresql: databaseNames(),
  sqlite: {
    subject: 'the process',
    list: 'read the file',
    write: 'write the file and in its directory',
    read: 'read the file',
    delete: 'write the file and in its directory',
  },
  file: {
    subject: 'the process',
    list: 'read and search the directory',
    write: 'write in the directory',
    read: 'read its files',
    delete: 'write in the directory',
  },
};

/** Where the store behind a URL is unknown, or there are several. */
const commonNames: PermissionNames = {
  subject: 'the credentials',
  list: 'list',
  write: 'put',
  read: 'get',
  delete: 'delete',
};

export function permissionNames(bucketUrl: string): PermissionNames {
  return namesOfScheme[bucketUrl.split(':', 1)[0]!] ?? commonNames;
}

function databaseNames(): PermissionNames {
  return { subject: 'the user', list: 'SELECT', write: 'INSERT', read: 'SELECT', delete: 'DELETE' };
}
