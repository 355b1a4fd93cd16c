/** The thread that reads large patches: one order in, the JSON text of its answer out. */
import { parentPort } from "node:worker_threads";
import { storedDiff, type StoredDiffOrder } from "./stored-diff.ts";

parentPort?.on("message", (order: StoredDiffOrder) => parentPort?.postMessage(JSON.stringify(storedDiff(order))));
