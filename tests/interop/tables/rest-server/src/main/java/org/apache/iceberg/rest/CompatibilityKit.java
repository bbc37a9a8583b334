package org.apache.iceberg.rest;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Map;
import org.apache.iceberg.util.JsonUtil;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the tests of catalogs of Iceberg's compatibility kit, each of which it reports as a line of JSON: the name, the
 * outcome, and the failure. The kit has its settings from system properties.
 */
public final class CompatibilityKit {
  private CompatibilityKit() {}

  public static void main(String[] arguments) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(RESTCompatibilityKitCatalogTests.class))
            .build();
    LauncherFactory.create().execute(request, new Reporter());
  }

  private static final class Reporter implements TestExecutionListener {
    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
      report(test, "skipped", reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      String failure = result.getThrowable().map(Throwable::toString).orElse("");
      // A class is reported only if it fails as a whole.
      if (test.isTest() || result.getStatus() != TestExecutionResult.Status.SUCCESSFUL)
        report(test, result.getStatus().name().toLowerCase(), failure);
    }

    private static void report(TestIdentifier test, String outcome, String reason) {
      Map<String, String> line =
          Map.of("test", test.getDisplayName(), "outcome", outcome, "reason", reason);
      try {
        System.out.println(JsonUtil.mapper().writeValueAsString(line));
      } catch (java.io.IOException error) {
        throw new java.io.UncheckedIOException(error);
      }
    }
  }
}
