// One file, as the page of norn report: tools/build-page makes hive/api/page.html of it.
export { default } from '../../report/web/vite.config';
