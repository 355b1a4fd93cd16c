/**
 * Loaded into a process ahead of its program (`--import=…?<path of a pipe>`): at SIGUSR2 every thread it has for file operations waits for the
 * other end of a pipe that nobody opens.
 */
import { open } from "node:fs";

/** Node's own number of them. */
const threads = 4;

/** The process may hide its environment. */
const pipe = decodeURIComponent(new URL(import.meta.url).search.slice(1));

process.on("SIGUSR2", () => {
	for (let count = 0; count < threads; count++) open(pipe, "r", () => {});
});
