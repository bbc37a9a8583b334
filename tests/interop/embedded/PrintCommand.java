/** Prints what the container of the guide runs, a word per line. */
final class PrintCommand {
  public static void main(String[] args) {
    System.out.println(String.join("\n", WeirContainer.command(0, "localhost")));
  }
}
