/** Errors of the registry by name: their code in answers, whose first three digits are the HTTP status. */
export const registryErrors = {
  malformedBody: 400,
  missingBody: 422,
  denied: 40301,
  subjectNotFound: 40401,
  versionNotFound: 40402,
  schemaNotFound: 40403,
  subjectSoftDeleted: 40404,
  subjectNotSoftDeleted: 40405,
  versionSoftDeleted: 40406,
  versionNotSoftDeleted: 40407,
  subjectHasNoConfig: 40408,
  subjectHasNoMode: 40409,
  associationNotFound: 40410,
  exporterNotFound: 40450,
  keyNotFound: 40470,
  keyNotSoftDeleted: 40471,
  keySoftDeleted: 40472,
  incompatible: 40901,
  tooManyAssociations: 40902,
  associationForResourceExists: 40903,
  associationForSubjectExists: 40904,
  strongAssociationForSubjectExists: 40905,
  noActiveSubjectVersionExists: 40907,
  associationFrozen: 40908,
  invalidExporterName: 40950,
  invalidExporterConfig: 40951,
  invalidExporterSubjects: 40952,
  exporterExists: 40960,
  exporterNotPaused: 40963,
  tooManyExporters: 40964,
  keyExists: 40971,
  tooManyKeys: 40972,
  invalidSchema: 42201,
  invalidVersion: 42202,
  invalidCompatibilityLevel: 42203,
  invalidMode: 42204,
  operationNotPermitted: 42205,
  referenceExists: 42206,
  idDoesNotMatch: 42207,
  invalidSubject: 42208,
  schemaTooLarge: 42209,
  invalidRuleSet: 42210,
  contextNotEmpty: 42211,
  invalidAssociation: 42212,
  invalidKey: 42271,
  keyReferenceExists: 42272,
  storeError: 50001,
  timeout: 50002,
  forwardingFailed: 50003,
  noLeader: 50004,
  keyGenerationFailed: 50070,
} as const;
export type RegistryErrorName = keyof typeof registryErrors;

/** An error that the caller of the registry receives. */
export class RegistryError extends Error {
  override name = 'RegistryError';
  readonly error: RegistryErrorName;

  constructor(error: RegistryErrorName, message: string) {
    super(message);
    this.error = error;
  }

  get code(): number {
    return registryErrors[this.error];
  }

  /** The HTTP status. */
  get status(): number {
    return this.code < 1000 ? this.code : Math.floor(this.code / 100);
  }

  /** Whether the registry failed, rather than refused: the same request may succeed later. */
  get isRetriable(): boolean {
    return this.code >= 50_000;
  }
}

/** A schema that is not compatible with an earlier version of its subject. */
export class IncompatibleSchema extends RegistryError {
  /** The differences, the version that they are about, and the level. */
  readonly details: readonly string[];

  constructor(subject: string, details: readonly string[]) {
    super(
      'incompatible',
      `Schema being registered is incompatible with an earlier schema for subject "${subject}", details: [${details.join(', ')}]`,
    );
    this.details = details;
  }
}
