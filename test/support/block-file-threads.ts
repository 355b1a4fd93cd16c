/**
 * Loaded into a process ahead of its program (`--import`): at SIGUSR2 every thread it has for file operations waits for the
 * other end of a pipe that nobody opens.
 */
import { open } from "node:fs";

/** Node's own number of them. */
const threads = 4;

process.on("SIGUSR2", () => {
	for (let count = 0; count < threads; count++) open(process.env["BLOCKING_PIPE"] ?? "", "r", () => {});
});
