package org.apache.iceberg.rest;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * The catalog server of Iceberg's own tests, as its RESTCatalogServer has it, but on a free port of the loopback
 * interface. The argument is the warehouse; the port is printed.
 */
public final class LoopbackCatalogServer {
  private LoopbackCatalogServer() {}

  public static void main(String[] arguments) throws Exception {
    Map<String, String> properties = new HashMap<>();
    properties.put(CatalogProperties.CATALOG_IMPL, JdbcCatalog.class.getName());
    properties.put(CatalogProperties.URI, "jdbc:sqlite::memory:");
    properties.put(CatalogProperties.WAREHOUSE_LOCATION, arguments[0]);
    properties.put("jdbc.schema-version", "V1");
    // A database in memory is that of its connection.
    properties.put(CatalogProperties.CLIENT_POOL_SIZE, "1");
    Catalog catalog = CatalogUtil.buildIcebergCatalog("backend", properties, new Configuration());
    ServletContextHandler context = new ServletContextHandler(ServletContextHandler.NO_SESSIONS);
    context.addServlet(new ServletHolder(new RESTCatalogServlet(new RESTCatalogAdapter(catalog))), "/*");
    Server server = new Server(new InetSocketAddress("127.0.0.1", 0));
    server.setHandler(context);
    server.start();
    System.out.println(((ServerConnector) server.getConnectors()[0]).getLocalPort());
    // The owner ends it by closing its input.
    while (System.in.read() != -1) {}
    server.stop();
  }
}
