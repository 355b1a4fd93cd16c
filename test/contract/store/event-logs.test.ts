/** The logs of changes on the stores that need no server. */
import { openEmbedded, openOnEndpoint } from "../../support/stores/open-stores.ts";
import { describeEventLogs } from "./event-logs.contract.ts";

describeEventLogs("SQLite", openEmbedded);
describeEventLogs("MongoDB's wire protocol", openOnEndpoint);
