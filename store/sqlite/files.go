package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/row"
)

func (q queue) Save(ctx context.Context, folder string, f improve.File) error {
	if err := row.CheckFile(folder, f); err != nil {
		return err
	}
	_, err := q.exec(ctx, row.SQLSave, folder, f.Name, notNil(f.Body))
	return q.about(ctx, "save "+f.Name, err)
}

func (q queue) SaveOnce(ctx context.Context, folder string, f improve.File) (improve.File, error) {
	if err := row.CheckFile(folder, f); err != nil {
		return improve.File{}, err
	}
	kept := improve.File{Name: f.Name}
	err := q.inside(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, row.SQLSaveOnce, folder, f.Name, notNil(f.Body)); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, row.SQLFile, folder, f.Name).Scan(&kept.Body)
	})
	return kept, q.about(ctx, "save "+f.Name, err)
}

func (q queue) Files(ctx context.Context, folder string) (all []improve.File, err error) {
	rows, err := q.read.QueryContext(ctx, row.SQLFiles, folder)
	if err != nil {
		return nil, q.about(ctx, "files of "+folder, err)
	}
	defer func() { err = q.about(ctx, "files of "+folder, errors.Join(err, rows.Close())) }()
	for rows.Next() {
		var f improve.File
		if err := rows.Scan(&f.Name, &f.Body); err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, rows.Err()
}

func (q queue) RemoveFolders(ctx context.Context, from, to string) (int, error) {
	n, err := q.exec(ctx, row.SQLForget, from, to)
	return int(n), q.about(ctx, "remove folders from "+from, err)
}

// notNil is a body that a column takes which is never null.
func notNil(body []byte) []byte {
	if body == nil {
		return []byte{}
	}
	return body
}
