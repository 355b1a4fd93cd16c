/** The thread of one count. */
import { parentPort, workerData } from "node:worker_threads";
import { type CountOrder, countFiles } from "./count-files.ts";

parentPort?.postMessage(countFiles(workerData as CountOrder));
