/**
 * Blocks the file operations of a process. It is loaded before the program (`--import=…?<path of a pipe>`): after
 * SIGUSR2 every thread for file operations waits for the other end of a pipe that is never opened.
 */
import { open } from "node:fs";

/** Node's default number of threads. */
const threads = 4;

/** The path is in the URL, because the process may hide its environment. */
const pipe = decodeURIComponent(new URL(import.meta.url).search.slice(1));

process.on("SIGUSR2", () => {
	for (let count = 0; count < threads; count++) open(pipe, "r", () => {});
});
