/** Logs without output, for parts whose lines a test does not read. */
import type { ServiceLog } from "#shared/base/service-log.ts";

export const noLog: ServiceLog = { error() {} };
